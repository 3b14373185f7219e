// The numbers of a look where the server has them: those of a layer come together, when one of them is first asked for.

import { Pending } from "/glass/look.js";
import { ask, Refusal } from "./asking.js";

// `again` asks for the same look anew, where the server has forgotten it meanwhile.
export function fetchedNumbers(head, again) {
  const places = new Map(); // name -> {group, from, to, shape}
  for (const [group, tensors] of Object.entries(head.groups)) {
    let from = 0;
    for (const [name, shape] of tensors) {
      const to = from + shape.reduce((size, one) => size * one, 1);
      places.set(name, { group, from, to, shape });
      from = to;
    }
  }
  const there = new Map(); // path -> Float32Array
  const coming = new Map(); // path -> Promise

  async function fetched(path, options) {
    try {
      return await ask(path, options);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 404) throw error;
      await again();
      return ask(path, options);
    }
  }

  function load(path) {
    if (!coming.has(path)) {
      const come = fetched(`/api/glass/${head.id}/${path}`)
        .then((response) => response.arrayBuffer())
        .then((bytes) => there.set(path, new Float32Array(bytes)));
      come.catch(() => coming.delete(path)); // the next who asks tries again
      coming.set(path, come);
    }
    return coming.get(path);
  }

  function at(path) {
    if (!there.has(path)) throw new Pending(load(path));
    return there.get(path);
  }

  return {
    has: (name) => places.has(name),
    shape: (name) => places.get(name).shape,
    values: (name) => {
      const { group, from, to } = places.get(name);
      return at(group).subarray(from, to);
    },
    hasColumn: () => true,
    column: (matrix, k) => {
      const numbers = at(`column/${matrix}/${k}`);
      return { values: numbers.subarray(0, -1), bias: numbers[numbers.length - 1] };
    },
    hasOutput: () => true,
    output: (id) => {
      const numbers = at(`output/${id}`);
      return { values: numbers.subarray(0, -1), bias: numbers[numbers.length - 1] };
    },
    pieces: async (word, step) => {
      const response = await fetched(`/api/glass/${head.id}/pieces`, { method: "POST", body: { word, step } });
      return (await response.json()).ids;
    },
    groups: () => [...there.keys()].filter((path) => path in head.groups),
    preload: (groups) => Promise.all(groups.filter((group) => group in head.groups).map(load)),
  };
}
