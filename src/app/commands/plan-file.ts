import { z } from 'zod';
import { parseFile } from './yaml-file.js';

/** A plan as a file: the fields of POST /v1/plans. */
export interface PlanFile {
  readonly name: string;
  readonly status?: string | undefined;
  readonly effectiveStart?: string | null | undefined;
  readonly effectiveEnd?: string | null | undefined;
  readonly currency?: string | null | undefined;
  readonly fx?: Readonly<Record<string, unknown>> | null | undefined;
  readonly fieldMapping?: Readonly<Record<string, unknown>> | null | undefined;
  readonly config: Readonly<Record<string, unknown>>;
  readonly tests?: readonly Readonly<Record<string, unknown>>[] | undefined;
}

/** The server checks the values; the file itself needs only its form. */
const planFile = z.strictObject({
  name: z.string().min(1),
  status: z.string().optional(),
  effectiveStart: z.string().nullish(),
  effectiveEnd: z.string().nullish(),
  currency: z.string().nullish(),
  fx: z.record(z.string(), z.unknown()).nullish(),
  fieldMapping: z.record(z.string(), z.unknown()).nullish(),
  config: z.record(z.string(), z.unknown()),
  tests: z.array(z.record(z.string(), z.unknown())).optional(),
});

export function readPlanFile(text: string, file: string): PlanFile {
  return parseFile(text, file, planFile);
}
