"""Small words of languages in Latin letters, by which a sentence shows what it is written in; composed by hand.

Articles, pronouns, prepositions, conjunctions, forms of to be and to have, everyday adverbs and verbs. English and
German have more, as they are told from each other and from all others. A word may stand in several lists: "in" tells
little.
"""

WORDS = {
    "en": """
        the a an and or but if because while although though unless until since so as than that this these those there
        here it its itself i i'm i've i'd i'll me my mine myself you you're you've you'd you'll your yours yourself he
        he's he'd he'll him his himself she she's she'd her hers herself we we're we've we'll us our ours they they're
        they've they'll them their theirs who who's whom whose what what's which when where where's why how how's is
        isn't are aren't am was wasn't were weren't be been being do don't does doesn't did didn't done doing have
        haven't has hasn't had hadn't having will won't would wouldn't shall should shouldn't can can't cannot could
        couldn't may might must mustn't ought let let's not no nor never ever none nothing nobody nowhere anything
        anyone anybody something someone somebody somewhere everything everyone everybody everywhere any some many much
        more most few fewer less least several all both each every either neither other others another such same own to
        of at in by for from with without within into onto upon about above across after against along among around
        before behind below beneath beside between beyond despite down during except inside like near off on out outside
        over past per through throughout toward towards under up via just only very too also even still yet already
        again always often sometimes usually rarely soon later now then today tomorrow yesterday tonight ago once twice
        away back together perhaps maybe really quite rather almost enough well please thank thanks yes hello one two
        three four five six seven eight nine ten first second last next new old good better best bad great little big
        small long high right left sure able time year years day days week month hour minutes night morning people man
        woman men women child children world life way thing things place house home work school book money water car
        door name friend friends mother father get gets got getting go goes going went gone come comes coming came make
        makes making made take takes took taken see sees saw seen know knows knew known think thinks thought say says
        said tell tells told ask asked want wants wanted need needs needed use used using find found give gives gave
        given look looks looked seem seems feel felt leave try tried keep kept put show shown call called become begin
        began start started help turn move live lived believe bring happen write wrote read speak spoke hear heard love
        loved learn buy bought wait understand open close send enter click press select choose save check change it's
        that's there's english became including early received died worked held however talk working happy young eat
        following moved looking wife different wrong happened hope girl parents brother sister according built finished
        written remember alone question answer wish killed decided far beautiful spent afraid trying walk difficult
        waiting considered helped tired husband brought beginning poor probably finally instead whether reason caught
        taught wearing half large white black speaks likes drinks words word asleep enjoy lost hard dog lives works set
        add remove create delete allow allows enable disable display view edit required available
        """,
    "de": """
        der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner keines und oder aber
        denn sondern wenn weil dass daß ob als wie obwohl während bevor nachdem bis seit damit indem sobald falls ich
        mich mir mein meine meinen meinem meiner meines du dich dir dein deine deinen deinem deiner er ihn ihm sein
        seine seinen seinem seiner seines sie ihr ihre ihren ihrem ihrer ihres es wir uns unser unsere unseren unserem
        unserer euch euer eure sich selbst man jemand niemand etwas nichts alles alle allen aller jeder jede jedes jeden
        jedem dieser diese dieses diesen diesem jener jene jenes welche welcher welches welchen wer wen wem wessen was
        wann warum wieso weshalb wo wohin woher wozu womit worüber darüber daran darauf daraus dafür dagegen dabei
        dadurch danach davon davor dazu hier dort da dahin hin her bin bist ist sind seid war warst waren wart wäre
        wären gewesen habe hast hat haben habt hatte hatten hattest hätte hätten gehabt werde wirst wird werden werdet
        wurde wurden worden würde würden geworden kann kannst können könnt konnte konnten könnte könnten muss musst
        müssen müsst musste mussten müsste soll sollst sollen sollte sollten will willst wollen wollt wollte wollten
        darf darfst dürfen durfte mag magst mögen möchte möchten möchtest lassen lass lässt ließ nicht nie niemals
        nirgends noch nur auch schon immer oft manchmal selten wieder sehr so zu mehr meist meistens viel viele vielen
        vieler wenig wenige weniger genug ganz ziemlich fast etwa ungefähr bereits jetzt nun dann heute morgen gestern
        abend bald später früher gerade eben gleich sofort zusammen allein vielleicht wohl doch ja nein mal gern gerne
        lieber leider bitte danke in im an am auf aus bei beim mit nach von vom vor zum zur über unter durch für gegen
        ohne um zwischen neben hinter außer wegen trotz statt entlang gegenüber ins ans aufs eins zwei drei vier fünf
        sechs sieben acht neun zehn erste ersten zweite letzte letzten nächste nächsten neue neuen neuer neues alte
        alten gut gute guten guter gutes besser beste besten groß große großen klein kleine kleinen lange hoch richtig
        falsch schön schöne jahr jahre jahren tag tage tagen woche stunde stunden uhr zeit mann frau kind kinder leute
        menschen welt leben haus hause arbeit schule buch geld wasser auto tür name freund freunde mutter vater geht
        gehe gehen ging gegangen komme kommt kommen kam gekommen mache machst macht machen machte gemacht sehe siehst
        sieht sehen sah gesehen weiß weißt wissen wusste gewusst sage sagt sagen sagte gesagt gibt geben gab gegeben
        nehmen nimmt nahm genommen finde findet finden fand gefunden glaube glaubst glaubt denke denkst denkt denken
        dachte brauche brauchst braucht brauchen heißt heißen bleibt bleiben blieb spricht sprechen spreche lesen liest
        schreiben schreibt warten wartet hören hört verstehe versteht verstehen arbeitet arbeiten wohnt wohnen kaufen
        kauft gekauft essen trinken helfen hilft fragen fragt frage öffnen klicken wählen deutsch steht stehen liegt
        liegen lang mußte muß sowie jedoch ihnen anderen anderem allem dies einmal einige einigen weitere weiteren
        gehört zurück wirklich beide beiden denen einfach deren allerdings besonders aufgrund dessen zweiten bezeichnet
        getan stark ebenfalls weiter befindet beispiel geschichte kaum bekannt schnell mehrere besteht fahren fährt
        schwer daher häufig insbesondere wort worte tut tun scheint verloren gilt ganze ganzen verwendet führte größte
        größten nacht frauen wobei weit genannt innerhalb möglich genau einzige eltern fehler straße erstmals insgesamt
        kurz außerdem eigenen sowohl bruder schwester leicht zahlreiche augen vergessen spät schließlich überhaupt
        halten sogar jeweils damals eher versucht deutlich geschrieben deshalb wahrheit tragen trägt gesprochen
        gegründet müde kenne kennt tisch tochter sohn hörte sonst eigentlich krank wichtig antwort brachte solche
        mindestens bisschen spielt spielen trinkt isst schläft kocht einander miteinander lasst liebt liebte hinzufügen
        löschen anzeigen bearbeiten auswählen speichern aktivieren deaktivieren verwenden gefällt gefallen spiele spiel
        zeige zeig suche suchen gib stelle stellen bewerte füge stell mach such quelle anleitung abschnitt kapitel
        """,
    "fr": """
        le la les l un une des du de d et ou mais donc car ni que qu qui quoi où si comme quand lorsque puisque parce
        je j tu il elle on nous vous ils elles me m te t se s lui leur leurs moi toi eux mon ma mes ton ta tes son sa
        ses notre nos votre vos ce cet cette ces cela ça c ceci celui celle ceux est sont suis es sommes êtes était
        étaient étais été être sera serait ai as a avons avez ont avait avais avaient eu avoir aura fait faire fais
        font faites peut peux pouvez peuvent pouvoir pourrait doit dois devez doivent veux veut voulez vouloir
        voudrais va vais vas allez vont aller allons faut ne n pas plus jamais rien personne aucun aucune tout tous
        toute toutes très trop assez bien aussi encore déjà toujours souvent peu beaucoup moins même autre autres avec
        sans pour par sur sous dans en entre vers chez avant après depuis pendant contre jusqu au aux y ici là alors
        puis maintenant aujourd hui hier demain bonjour merci oui non s'il quel quelle quels quelles comment pourquoi
        combien deux trois quatre cinq jour jours an ans année temps homme femme enfant enfants maison gens monde vie
        chose petit petite grand grande bon bonne nouveau nouvelle heures heure livre
        """,
    "es": """
        el la los las lo un una unos unas de del al a y e o u pero sino porque pues que qué quien quién cual cuál
        cuando cuándo donde dónde como cómo cuanto cuánto si sí yo tú él ella ello nosotros vosotros ellos ellas usted
        ustedes me te se le les nos os mi mis tu tus su sus mío nuestro nuestra nuestros nuestras este esta estos
        estas ese esa esos esas eso esto aquel aquella es son soy eres somos era eran fue fueron ser sido está están
        estoy estás estamos estaba estaban estar he has ha hemos han había habían hay haber tengo tienes tiene tenemos
        tienen tenía tener hace hacer hago hizo puede puedo puedes pueden podemos podría poder debe debo quiero
        quieres quiere quieren voy vas va vamos van ir no ni nunca nada nadie ningún ninguna muy más menos mucho mucha
        muchos muchas poco todo toda todos todas otro otra otros otras mismo también tampoco ya aún todavía siempre
        ahora hoy ayer mañana luego después antes aquí allí con sin para por sobre bajo en entre hacia hasta desde
        durante según contra gracias hola favor buenos días año años día tiempo hombre mujer niño niños casa gente
        mundo vida cosa dos tres gran grande bien
        """,
    "it": """
        il lo la i gli le l un uno una dei degli delle del dello della dell di da in con su per tra fra al allo alla
        ai agli alle all dal dalla dai dalle nel nello nella nei nelle nell sul sulla sui sulle e ed o ma però perché
        che chi cui quale quali quando dove come quanto se io tu lui lei noi voi loro mi ti si ci vi ne me te mio mia
        miei mie tuo tua suo sua suoi sue nostro nostra vostro questo questa questi queste quello quella quelli è sono
        sei siamo siete era erano ero stato stata essere sarà sarebbe ho hai ha abbiamo avete hanno aveva avevano
        avere fa fare faccio fatto può posso puoi possono potere deve devo dobbiamo voglio vuole vuoi vorrei va vado
        andare andiamo non né mai niente nulla nessuno più meno molto molta molti molte poco tutto tutta tutti tutte
        altro altra altri altre stesso anche ancora già sempre spesso ora adesso oggi ieri domani poi prima dopo qui
        qua lì là senza verso contro durante fino bene così grazie ciao prego sì anno anni giorno giorni tempo uomo
        donna bambino bambini casa gente mondo vita cosa due tre grande quanti
        """,
    "pt": """
        o a os as um uma uns umas de do da dos das em no na nos nas ao aos à às pelo pela pelos pelas e ou mas porém
        porque que quem qual quais quando onde como quanto se eu tu ele ela nós vós eles elas você vocês me te lhe
        lhes meu minha meus minhas teu tua seu sua seus suas nosso nossa este esta estes estas esse essa isso isto
        aquele aquela aquilo é são sou és somos era eram foi foram ser sido está estão estou estava estavam estar
        tenho tem temos têm tinha tinham ter há havia haver faz fazer faço fez pode posso podem podemos poderia deve
        devo quero quer querem vou vai vamos vão ir não nem nunca nada ninguém nenhum nenhuma muito muita muitos
        muitas mais menos pouco tudo todo toda todos todas outro outra outros outras mesmo também já ainda sempre
        agora hoje ontem amanhã depois antes aqui ali lá com sem para por sobre sob entre até desde durante contra
        obrigado obrigada olá sim ano anos dia dias tempo homem mulher criança crianças casa gente mundo vida coisa
        dois duas três grande bem bom boa então nova novo deste desta num numa horas estás dizer
        """,
    "nl": """
        de het een en of maar want dat die dit deze als dan omdat terwijl hoewel voordat nadat ik mij me mijn jij je
        jou jouw u uw hij hem zijn zij ze haar wij we ons onze jullie hun hen zich wie wat waar wanneer waarom hoe
        welke welk is ben bent was waren geweest heb hebt heeft hebben had hadden gehad word wordt worden werd werden
        geworden zal zult zullen zou zouden kan kun kunt kunnen kon konden moet moeten moest mag mogen mocht wil wilt
        willen wilde wilden doe doet doen deed gedaan ga gaat gaan ging gingen kom komt komen kwam niet geen nooit
        niets niemand ook nog al alle alles altijd vaak soms heel erg zeer veel meer meest weinig minder genoeg te om
        in op aan van voor met naar uit bij over onder tussen door tegen zonder tot sinds tijdens na achter naast er
        hier daar nu vandaag gisteren morgen toen straks weer terug samen misschien wel toch ja nee dank bedankt
        alstublieft goed goede nieuwe oude grote kleine jaar jaren dag dagen tijd man vrouw kind kinderen mensen
        wereld leven huis werk twee drie ander andere anders zo hoeveel uur graag
        """,
    "sv": """
        en ett den det de dem denna detta dessa och eller men att som om när då därför eftersom medan innan jag mig
        min mitt mina du dig din ditt dina han honom hans hon henne hennes vi oss vår vårt våra ni er ert era dom sig
        sin sitt sina man vem vad var vart varför hur vilken vilket vilka är varit vara blir bli blev blivit har hade
        haft ha ska skall skulle kan kunde kunna måste får fick få vill ville vilja bör gör gjorde göra gjort går gick
        gå kommer kom komma inte ej aldrig inget ingen inga något någon några allt alla alltid ofta ibland mycket mer
        mest många lite mindre nog för till från med utan på i av under över mellan genom mot hos efter före sedan här
        där nu idag igår imorgon snart redan också bara även igen tillsammans kanske ja nej tack hej god bra ny nya
        gammal stor stora liten små år dag dagar tid kvinna barn människor värld liv hus arbete två tre andra annan
        """,
    "da": """
        en et den det de dem denne dette disse og eller men at som om når da fordi mens før jeg mig min mit mine du
        dig din dit dine han ham hans hun hende hendes vi os vores i jer jeres sig sin sit sine man hvem hvad hvor
        hvornår hvorfor hvordan hvilken hvilket hvilke er var været være bliver blive blev blevet har havde haft have
        skal skulle kan kunne må måtte får fik få vil ville gør gjorde gøre gjort går gik gå kommer kom komme ikke
        aldrig intet ingen noget nogen nogle alt alle altid ofte meget mere mest mange lidt mindre nok for til fra med
        uden på af under over mellem gennem mod hos efter siden her der nu dag morgen snart allerede også bare igen
        sammen måske ja nej tak hej god godt ny nye gammel stor store lille små år dage tid mand kvinde børn mennesker
        verden liv hus arbejde to tre andre anden ikkje av hva etter nyt
        """,
    "pl": """
        i a oraz lub albo ale więc bo ponieważ że żeby aby jeśli gdy kiedy gdzie jak który która które których którego
        co kto kogo komu czego czy ja mnie mi mój moja moje ty ciebie cię ci twój twoja on jego jemu go mu ona jej ją
        ono my nas nam nasz nasza wy was wam wasz oni one ich im się siebie sobie ten ta to te tego tej tym tych
        tamten jest są jestem jesteś jesteśmy był była było były być będzie będą będę ma mam masz mamy mają miał mieć
        może mogę możesz mogą móc musi muszę trzeba chce chcę chcesz nie nigdy nic nikt żaden już jeszcze zawsze
        często bardzo tylko też także tak tu tutaj tam teraz dziś dzisiaj wczoraj jutro potem w we z ze na do od po za
        przed nad pod przez dla o u przy bez między podczas proszę dziękuję dzień dobry rok lat dni czas człowiek
        ludzie kobieta dziecko dzieci dom praca życie świat dwa trzy wszystko wszyscy każdy inny nowy duży mały ile
        """,
    "cs": """
        a i nebo ale protože že aby jestli když kde kam jak který která které kterou co kdo koho komu čeho já mě mi
        můj moje ty tě ti tvůj on jeho jemu ho mu ona její ji ono my nás nám náš naše vy vás vám váš oni jejich jim se
        si sebe ten ta to toho té těch tento tato toto je jsou jsem jsi jsme jste byl byla bylo byli být bude budou
        budu má mám máš máme mají měl mít může mohu můžeš mohou musí musím chce chci chceš ne není nejsou nikdy nic
        nikdo žádný už ještě vždy často velmi jen také tak tady zde tam teď dnes včera zítra pak v ve z ze na do od po
        za před nad pod přes pro o u při bez mezi během prosím děkuji dobrý den rok let čas člověk lidé žena muž dítě
        děti dům práce život svět dva tři všechno všichni každý jiný nový velký malý
        """,
    "tr": """
        ve veya ama fakat çünkü ki eğer için gibi kadar ile göre sonra önce ben bana beni benim sen sana seni senin o
        ona onu onun biz bize bizi bizim siz size sizi sizin onlar onlara onları onların bu şu bunu bunun burada orada
        kim ne neden niçin nasıl nerede hangi kaç var yok değil mi mı mu mü bir iki üç çok az daha en her hiç bütün
        tüm bazı başka aynı şimdi bugün dün yarın hep zaman gün yıl saat insan kadın adam çocuk ev iş hayat dünya evet
        hayır lütfen teşekkür ederim merhaba iyi güzel büyük küçük yeni eski olan olarak oldu olur olmak etti eder
        etmek yaptı yapmak geldi gitti istiyorum istiyor biliyor biliyorum gerek lazım de da bile sadece artık
        """,
    "fi": """
        ja tai mutta että koska jos kun kuin vaikka minä minun minua minulla sinä sinun sinua sinulla hän hänen häntä
        hänellä me meidän te teidän he heidän se sen sitä siitä siinä ne niiden tämä tämän tätä tässä nämä tuo kuka
        mikä mitä missä milloin miksi miten onko on ovat olen olet olemme oli olivat ollut olla ei en et emme eivät
        voi voin voit voivat pitää täytyy haluan haluaa nyt tänään eilen huomenna täällä siellä aina usein joskus
        koskaan myös vain jo vielä hyvin paljon enemmän vähän kaikki joka jotka jokainen toinen sama uusi vanha suuri
        pieni hyvä kiitos kyllä hyvää päivää vuosi vuotta aika mies nainen lapsi lapset ihmiset talo työ elämä maailma
        kanssa ilman ennen jälkeen kaksi kolme
        """,
    "hu": """
        a az egy és vagy de hogy mert ha mint amikor ahol aki ami amely ezt azt ez én engem nekem te téged neked ő őt
        neki mi minket nekünk ti nektek ők őket nekik magát ki kit hol mikor miért hogyan melyik van vannak vagyok
        volt voltak lesz lenne lehet kell tud tudom akar akarok nem ne nincs soha semmi senki sem is csak már még
        mindig gyakran nagyon sok több kevés minden mindenki itt ott most ma tegnap holnap aztán után előtt között
        alatt felett nélkül szerint által miatt igen köszönöm kérem szia jó napot új régi nagy kicsi év nap idő ember
        nő férfi gyerek ház munka élet világ két három
        """,
    "ro": """
        și si sau dar însă pentru că dacă când unde cum care ce cine eu mă mie meu mea tu te ție tău ta el îl lui ea o
        ei noi ne nostru voi vă ele lor se își acest această acești aceste acel aceea este e sunt ești suntem era erau
        fost fi va vor am ai are avem aveți au avea avut poate pot poți trebuie vreau vrea vrei nu nici niciodată
        nimic nimeni mai foarte mult multe puțin tot toate toți alt altă alte deja încă mereu acum azi ieri mâine apoi
        aici acolo în din de la pe cu fără despre sub peste între prin până după înainte un una unei unui unor da
        mulțumesc bună ziua an ani zi timp om oameni femeie copil copii casă viață lume doi trei
        """,
    "id": """
        yang dan atau tetapi tapi karena jika kalau bahwa untuk dari ke di dengan pada oleh dalam tentang antara saya
        aku kamu anda dia ia kami kita mereka ini itu sini sana apa siapa kapan mana mengapa kenapa bagaimana berapa
        adalah ada tidak bukan belum sudah telah akan sedang bisa dapat harus mau ingin boleh jangan sangat sekali
        lebih paling banyak sedikit semua setiap lain sama juga hanya masih lagi selalu sering pernah sekarang hari
        kemarin besok nanti tahun orang anak rumah kerja hidup dunia baik besar kecil baru terima kasih tolong ya
        seorang sebuah satu dua tiga tak nya para seperti agar saat setelah sebelum
        """,
    "vi": """
        và hoặc nhưng vì nếu khi thì là của cho với từ đến trong ngoài trên dưới tôi bạn anh chị em ông bà nó chúng ta
        họ này đó kia đây đâu gì ai nào sao bao nhiêu không chưa đã đang sẽ được bị có phải rất quá hơn nhất nhiều ít
        tất cả mỗi một hai ba người ngày năm giờ nhà nước việc làm đi biết muốn thích cần nên cũng vẫn còn chỉ lại rồi
        các những
        """,
}
# Letters beyond a to z, and the languages that use them: a word with one speaks for these.
LETTERS = {
    "ß": "de", "ä": "de sv fi", "ö": "de sv fi tr hu", "ü": "de tr hu", "å": "sv da", "ø": "da", "æ": "da", "ñ": "es",
    "ç": "fr pt tr", "ã": "pt vi", "õ": "pt vi", "à": "fr it pt vi", "è": "fr it vi", "ì": "it vi", "ò": "it vi",
    "ù": "fr it vi", "â": "fr pt ro vi", "ê": "fr pt vi", "î": "fr ro", "ô": "fr pt vi", "û": "fr", "ë": "nl fr",
    "ï": "fr nl", "œ": "fr", "é": "fr es it pt hu cs vi", "á": "es pt hu cs vi", "í": "es pt hu cs vi",
    "ó": "es pt hu cs pl vi", "ú": "es pt hu cs vi", "ý": "cs vi", "ł": "pl", "ż": "pl", "ź": "pl", "ś": "pl",
    "ć": "pl", "ń": "pl", "ą": "pl", "ę": "pl", "ř": "cs", "ě": "cs", "ů": "cs", "č": "cs", "š": "cs", "ž": "cs",
    "ğ": "tr", "ı": "tr", "ş": "tr", "ő": "hu", "ű": "hu", "ă": "ro vi", "ș": "ro", "ț": "ro", "đ": "vi", "ơ": "vi",
    "ư": "vi",
}  # fmt: skip
# Ends of words of six letters and more that are in no list, and the languages that have many of them.
ENDINGS = {
    "tions": "en fr", "ing": "en nl sv da id", "ings": "en", "ness": "en", "ful": "en", "ally": "en", "ably": "en",
    "ated": "en", "ized": "en", "ised": "en", "ities": "en", "ously": "en", "ight": "en", "ough": "en", "ward": "en",
    "ung": "de id", "ungen": "de", "keit": "de", "keiten": "de", "heit": "de", "heiten": "de", "schaft": "de",
    "lich": "de", "liche": "de", "lichen": "de", "licher": "de", "liches": "de", "ischen": "de", "ischer": "de",
    "isches": "de", "ieren": "de", "iert": "de", "ierte": "de", "ierten": "de", "igen": "de", "iger": "de",
}  # fmt: skip
