import { z } from 'zod';
import { fields, pathIds } from '../../api/resource-fields.js';
import { maySee } from '../../kernel/caller.js';
import { type DayRange, overlap } from '../../kernel/day.js';
import { type Period } from '../../kernel/period.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { loadPayoutsOfRep } from '../../pay/payables/statement-payouts.js';
import { notYours } from '../../people/reps/rep.js';
import { assertRepExists } from '../../people/reps/rep-views.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { approvalHolds } from '../approval-holds.js';
import { describePay } from '../payslip.js';
import { payHeadline, toHeadlineResponse } from '../payslip-response.js';
import { loadOnlyCurrencies } from '../read-payslip.js';
import { listSummaries } from '../snapshot.js';
import { listStoredStatements } from '../statement-views.js';

const params = z.strictObject({ repId: pathIds.repId });

const listed = z
  .object({
    period: fields.period,
    status: z.enum(['draft', 'approved']).describe('Status of the latest version'),
    version: fields.version,
    netPayout: z.number().describe('Sum of all amounts of the latest version, in `currency`'),
    payable: z
      .number()
      .optional()
      .describe('What the latest version pays, in `currency`; absent in workspaces without payouts'),
    currency: fields.currency,
    generatedAt: z.string().describe('When the latest version was generated, instant in ISO 8601'),
    approvedAt: z
      .string()
      .nullable()
      .describe('When the statement was approved, instant in ISO 8601; null for a draft'),
    payslip: payHeadline.optional(),
    coveredBy: approvalHolds.coveredBy,
  })
  .describe('A statement without its lines');

interface StatementDays {
  readonly period: Period;
  readonly days: DayRange;
}

/** Finds the other approved periods with days of the period, earliest first. */
function coveringAmong(
  requested: StatementDays,
  rows: readonly (StatementDays & { readonly status: string })[],
): Period[] {
  return rows
    .filter(
      ({ period, days, status }) =>
        status === 'approved' && period !== requested.period && overlap(days, requested.days),
    )
    .map(({ period }) => period)
    .reverse();
}

export const listRepStatements = operation({
  id: 'listRepStatements',
  summary: "List a rep's generated statements without their lines, the latest period first",
  method: 'get',
  path: '/v1/statements/:repId/list',
  access: 'rep',
  payroll: true,
  params,
  response: z.array(listed),
  failures: { rep_not_found: 404 },
  example: {
    params: { repId: sampleIds.repId },
    response: [
      {
        period: '2026-02',
        status: 'approved',
        version: 1,
        netPayout: 10650,
        currency: 'USD',
        generatedAt: '2026-03-01T08:05:00.000Z',
        approvedAt: '2026-03-02T09:00:00.000Z',
        coveredBy: [],
      },
    ],
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { repId } }, caller, { unitOfWork }): Promise<readonly z.input<typeof listed>[]> {
    if (!maySee(caller, repId)) throw notYours();
    const { rows, payouts, otherwise } = await unitOfWork.read(caller, async (tx) => {
      await assertRepExists(tx, repId);
      const stored = await listStoredStatements(tx, repId);
      if (stored.every(({ payTotals }) => payTotals === null)) return { rows: stored };
      return {
        rows: stored,
        payouts: await loadPayoutsOfRep(tx, repId),
        otherwise: (await loadOnlyCurrencies(tx, [repId])).get(repId),
      };
    });
    return rows.map(({ days, payable, summary, otherCurrencies, payTotals, pay, ...row }) => ({
      ...row,
      ...(payable === null ? {} : { payable: Number(payable) }),
      ...(payTotals === null
        ? {}
        : {
            payslip: toHeadlineResponse(
              describePay({
                ...{ totals: payTotals, pay, payouts: payouts?.get(row.period) ?? [] },
                summaries: listSummaries({ currency: row.currency, summary, otherCurrencies }),
                isApproved: row.status === 'approved',
                otherwise: otherwise ?? row.currency,
              }),
            ),
          }),
      netPayout: Number(row.netPayout),
      generatedAt: row.generatedAt.toISOString(),
      approvedAt: row.approvedAt?.toISOString() ?? null,
      coveredBy: coveringAmong({ period: row.period, days }, rows),
    }));
  },
});
