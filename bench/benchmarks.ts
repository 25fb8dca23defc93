import { agents } from './agents.js';
import { changes } from './changes.js';
import { crmSync } from './crm-sync.js';
import { documents } from './documents.js';
import { engine } from './engine.js';
import { fairness } from './fairness.js';
import { http } from './http.js';
import { imports } from './imports.js';
import { intake } from './intake.js';
import { latency } from './latency.js';
import { type Table } from './measure.js';
import { memory } from './memory.js';
import { pdf } from './pdf.js';
import { recalculation } from './recalculation.js';
import { shapes } from './shapes.js';
import { type Size } from './size.js';
import { storms } from './storms.js';
import { workers } from './workers.js';

/** The benchmarks by their names on the command line, in the order of docs/performance.md. */
export const benchmarks: Readonly<Record<string, (size: Size) => AsyncGenerator<Table>>> = {
  recalculation,
  memory,
  shapes,
  changes,
  storms,
  workers,
  engine,
  http,
  intake,
  latency,
  import: imports,
  pdf,
  documents,
  sync: crmSync,
  fairness,
  agents,
};
