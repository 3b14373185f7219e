"""Words whose dot does not end a sentence, and words that most often begin one, for four languages.

Spelt as in running text, without the last dot. Three kinds: `always` (titles, z.B.) goes on whatever follows;
`number` (No., S., Art.) goes on before a number only, because many of these are words too; `often` (etc., U.S., J.)
goes on unless the next word is a usual first word of a sentence.
"""

from dataclasses import dataclass

from attendo.text.language import base_language


@dataclass(frozen=True)
class Abbreviations:
    always: frozenset[str]
    number: frozenset[str]
    often: frozenset[str]
    starters: frozenset[str]  # in lower case
    ordinals: bool = False  # "3. Oktober": a number with a dot is an ordinal


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENGLISH = Abbreviations(
    always=words(
        "Mr Mrs Ms Mx Dr Prof Rev Hon Gen Col Capt Lt Sgt Cpl Maj Cmdr Adm Gov Sen Rep Pres Supt Msgr Messrs Mme "
        "Mlle Gebr e.g i.e E.g I.e eg ie cf viz vs v approx ca c.f Mt Ft"
    ),
    number=words("No no Nos nos Nr nr Fig fig Figs figs Eq eq Sec sec Ch ch Vol vol pp p Art art Ph ph Tel tel Ex ex"),
    often=words(
        "St Jr Sr Inc Ltd Co Corp Bros Dept Univ Assn etc al a.m p.m A.M P.M Ph.D M.D B.A M.A D.C U.S U.K U.N E.U "
        "U.S.A Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Ave Blvd Rd Est est ed eds min max hrs hr ft oz lb "
        "lbs"
    ),
    starters=words(
        "the a an this that these those he she it they we i you his her its their our my your there here in on at "
        "by for from with without after before when while if although because since as but and or so yet however "
        "then what who where why how is are was were do does did can could will would no not one some all many "
        "most each i'm i've i'll i'd it's he's she's they're we're you're that's there's don't"
    ),
)
GERMAN = Abbreviations(
    always=words(
        "Dr Prof Hr Hrn Fr Frl Dipl Ing Med med St Sr bzw vgl Vgl z.B Z.B d.h D.h i.d.R u.U z.T z.Z z.Zt i.A i.V "
        "e.V m.E sog ca evtl ggf bspw inkl exkl zzgl abzgl max mind gem lt geb gest verh dt engl frz lat griech "
        "röm Mio Mrd Tsd insb insbes bes einschl entspr gegr Hrsg hrsg jew spez urspr zw Kl Tel tel Gebr Ggf Evtl "
        "Bzw Sog"
    ),
    number=words("Nr Nrn nr S Art Abs Kap Bd Bde Abb Tab Ziff Aufl Fn Anm Str str Rn Az No Pos Jg Mk Mt Lk Joh Ps"),
    often=words(
        "usw Corp etc u.a u.ä o.ä u.s.w u.v.m uvm Std Min min Sek Jh Jhd Co Inc Ltd Jr U.S Chr s.o s.u o.g a.D"
    ),
    starters=words(
        "der die das dem den ein eine einen einem einer ich du er sie es wir ihr man mein meine sein seine unser "
        "unsere dies diese dieser dieses jeder jede jedes in im an am auf aus bei mit nach von vom vor zu zum zur "
        "für über unter durch ohne gegen um wenn als ob weil da dann danach dort hier aber und oder doch denn so "
        "auch nun jetzt heute gestern morgen wer was wo wie warum wann kein keine nicht nur viele alle einige ist "
        "sind war hat haben"
    ),
    ordinals=True,
)
FRENCH = Abbreviations(
    always=words(
        "M MM Mme Mmes Mlle Mlles Dr Pr Prof Me Mgr St Ste Vve cf Cf c.-à-d p.ex par.ex env éd coll dir adj av apr "
        "bd tél Tél boul"
    ),
    number=words("p pp art chap fig n no nos vol t l al réf Art Chap Fig No"),
    often=words("etc J.-C Cie ex U.S janv févr juill sept oct nov déc min max"),
    starters=words(
        "le la les l un une des ce cet cette ces il elle ils elles on nous vous je tu mon ma mes son sa ses notre "
        "nos votre vos leur leurs dans en à au aux sur sous par pour avec sans après avant quand lorsque si comme "
        "mais et ou donc or ni car puis alors ensuite ainsi qui que quoi où pourquoi comment ici là voici c'est "
        "j'ai aujourd'hui hier demain tout tous toute toutes c j d n s qu"
    ),
)
CZECH = Abbreviations(
    always=words(
        "např tzv tj resp popř příp mj cca Ing Mgr MgA MUDr MVDr JUDr PhDr RNDr ThDr Dr Prof prof doc Doc Bc BcA "
        "sv tzn ul nám tř tel tis mil mld max min srov angl něm lat fr pí zejm vč vyd red"
    ),
    number=words("č čís str s odst odd písm obr tab kap roč r p par sv čl"),
    often=words("atd apod aj atp hod st stol n.l př.n.l Kč vteř kpt Inc Ltd U.S"),
    starters=words(
        "ten ta to ti ty on ona ono oni já my vy v ve na do z ze za po pod před při o u k ke s se když pokud "
        "protože ale a i nebo pak potom tam tady zde co kdo kde jak proč kdy dnes včera zítra jeho její můj moje "
        "náš naše tento tato toto tyto je jsou byl byla bylo byli není"
    ),
    ordinals=True,
)
BY_LANGUAGE = {"en": ENGLISH, "de": GERMAN, "fr": FRENCH, "cs": CZECH}
# Others that write ordinals with a dot; of their abbreviations we know none but the English.
OTHERS_WITH_ORDINALS = words("sk pl sl hr sr bs da no nb nn fi et lv is hu tr")


def abbreviations(language: str) -> Abbreviations:
    base = base_language(language)
    if base in BY_LANGUAGE:
        return BY_LANGUAGE[base]
    return OTHER if base in OTHERS_WITH_ORDINALS else ENGLISH


OTHER = Abbreviations(ENGLISH.always, ENGLISH.number, ENGLISH.often, frozenset(), ordinals=True)
