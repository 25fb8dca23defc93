import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { decodePaidLines } from '../engine/trace.js';

/** What the lines of a deal paid, in responses. */
export const paidLines = z
  .array(
    z
      .object({
        lineId: z.string().describe('Id of the line'),
        name: z.string().nullable().describe('Name of the product, or its code; null without one'),
        base: z.number().describe('What the rate multiplies, in the currency of the event'),
        rate: z.number().nullable().describe('Share of the base, of several tiers their mean; null for an amount'),
        amount: z.number().describe('Part of the amount of the event; the parts add up to it'),
      })
      .describe('A line of the deal'),
  )
  .optional()
  .describe('The counted lines of the deal; absent in rules without lines');

/** The trace of the earned event `e` of a rule with lines; null for other events. */
export const traceWithLines: RawBuilder<string | null> = sql`case when e.status = 'earned' and exists (
  select from plan_rules l where l.workspace_id = e.workspace_id and l.rule_id = e.rule_id and l.definition ? 'lines'
) then e.trace end`;

/** What the lines of the deal paid by the trace of an event; nothing for an event without lines. */
export function paidLinesOf(trace: string | null): { readonly dealLines?: z.input<typeof paidLines> } {
  const lines = trace === null ? null : decodePaidLines(trace);
  return lines === null ? {} : { dealLines: lines };
}
