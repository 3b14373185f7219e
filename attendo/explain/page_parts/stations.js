// The stations in the order in which data flows.

import { decoderStation } from "./decoder.js";
import { embeddingStation } from "./embedding.js";
import { encoderStation } from "./encoder.js";
import { memoryStation } from "./memory.js";
import { outputStation } from "./output.js";
import { overviewStation } from "./overview.js";
import { piecesStation } from "./pieces.js";
import { searchStation } from "./search.js";
import { trainingStation } from "./training.js";

export const STATIONS = [
  overviewStation,
  piecesStation,
  embeddingStation,
  encoderStation,
  memoryStation,
  decoderStation,
  outputStation,
  trainingStation,
  searchStation,
];
