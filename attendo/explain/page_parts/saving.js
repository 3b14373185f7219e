// Any picture of the page as a file: two small buttons, SVG and PNG.

import { el, tr } from "./elements.js";
import { pictureOf } from "./picture.js";

const SHARPNESS = 2; // pixels of a PNG for one of the screen
const WIDEST_IMAGE = 8000; // pixels that every browser still draws

// `picture` gives the element at the moment of saving; `name` is what the file is called, `what` it is if not one picture.
export function saveButtons(picture, name, what = null) {
  const saved = what || tr("this picture", "这幅图");
  const button = (kind, save) =>
    el(
      "button",
      {
        type: "button",
        class: "save",
        "data-save": kind.toLowerCase(),
        "aria-label": tr(`save ${saved} as ${kind}`, `把${saved}存为 ${kind}`),
        title: tr(`save ${saved} as ${kind}`, `把${saved}存为 ${kind}`),
        onclick: () => save(pictureOf(picture()), `attendo-${name}.${kind.toLowerCase()}`),
      },
      kind,
    );
  return el(
    "span",
    { class: "saving", "data-unsaved": "" },
    what ? el("span", { class: "quiet", "aria-hidden": "true" }, what) : null,
    button("SVG", saveSvg),
    button("PNG", savePng),
  );
}

const written = (picture) => new XMLSerializer().serializeToString(picture);

function saveSvg(picture, name) {
  download(new Blob([written(picture)], { type: "image/svg+xml" }), name);
}

async function savePng(picture, name) {
  const width = Number(picture.getAttribute("width")),
    height = Number(picture.getAttribute("height"));
  const scale = Math.min(SHARPNESS, WIDEST_IMAGE / Math.max(width, height));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(written(picture))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => download(blob, name), "image/png");
}

function download(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = el("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
