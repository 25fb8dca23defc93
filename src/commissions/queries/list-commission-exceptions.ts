import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { chunk } from '../../kernel/chunk.js';
import { currentDay } from '../../kernel/day.js';
import { groupBy } from '../../kernel/group-by.js';
import { toPeriod } from '../../kernel/period.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { sumsByCurrency } from '../../kernel/sums-by-currency.js';
import { calendarOf, loadWorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { effects } from '../../platform/mcp/tool.js';
import { operation } from '../../platform/operations/operation.js';
import { flag, period, wholeNumber } from '../../platform/operations/schemas.js';
import { filteredPeopleQuery, filteredReps, unfilteredPeople } from '../../reps/filtered-people.js';
import { type Acceptances, acceptance, loadAcceptances } from '../acceptance.js';
import { DealExplainer } from '../deal-explainer.js';
import {
  findExceedingDeals,
  findNames,
  findRefundsWithoutPolicy,
  findUndatedDeals,
  findUnownedDeals,
  listRepsToExplain,
  type UnreadDeals,
} from '../exception-views.js';
import { type Exception, type ExceptionReason, exceptionReasons } from '../exceptions.js';
import { findExceptionsOf, repsPerTransaction } from '../find-exceptions.js';
import { reasonTexts } from '../reason-texts.js';

const query = z.strictObject({
  period: period.optional().describe('The current month by default'),
  accepted: flag
    .default(false)
    .describe('true: only what an admin accepted as expected to pay nothing; false: only the rest'),
  limit: wholeNumber(1, 100)
    .default(20)
    .describe('Max number of deals that are listed for each reason; counts include all'),
  ...filteredPeopleQuery,
});

const response = z.object({
  period: fields.period,
  currency: z.string().describe('The currency of the workspace, in which amounts without a currency are counted'),
  deals: z.int().describe('Number of distinct deals in all groups'),
  exceptions: z
    .array(
      z
        .object({
          reason: z.enum(exceptionReasons).describe('Why the deals were not paid, as a code'),
          meaning: z.string().describe('What the reason means and what to do'),
          count: z.int().describe('Number of distinct deals'),
          totals: z
            .array(
              z
                .object({
                  currency: fields.currency,
                  amount: z.number().describe('Sum of the amounts of the deals in this currency'),
                })
                .describe('Sum of one currency'),
            )
            .describe('Sums of the amounts of the deals by currency, the currency of the workspace first'),
          deals: z
            .array(
              z
                .object({
                  dealId: fields.dealId,
                  name: fields.dealName.nullable(),
                  stage: fields.stage.nullable(),
                  closeDate: fields.closeDate.nullable(),
                  amount: z.number().nullable().describe('Null if the deal has no amount that can be read'),
                  currency: fields.currency.nullable(),
                  repId: z
                    .string()
                    .nullable()
                    .describe('Id of the rep who was not paid (UUID); null for a deal without an owner'),
                  repName: fields.repName.nullable(),
                  rules: z
                    .array(
                      z
                        .object({
                          planId: fields.planId.nullable(),
                          planName: fields.planName.nullable(),
                          ruleId: fields.ruleId.nullable(),
                          ruleName: fields.ruleName.nullable(),
                        })
                        .describe('A rule that paid nothing'),
                    )
                    .describe('The rules that paid nothing; without a rule if no plan version applies'),
                  missing: z.array(z.string()).describe('Slugs of the fields that are missing or out of range'),
                  acceptance: acceptance.optional(),
                })
                .describe('A deal that was not paid'),
            )
            .describe('The first deals, the largest amount first'),
        })
        .describe('The deals of one reason'),
    )
    .describe('One group for each reason that occurs'),
});
type ExceptionsResponse = z.input<typeof response>;

const readOnly = { lock: 'none', access: 'read', replica: true } as const;

interface Group extends Pick<ExceptionsResponse['exceptions'][number], 'reason' | 'count' | 'totals'> {
  readonly listed: readonly Exception[];
}

/** A deal that did not pay two reps is counted once and listed for each rep. */
function groupByReason(found: readonly Exception[], currency: string, limit: number): Map<ExceptionReason, Group> {
  const groups = [...groupBy(found, ({ reason }) => reason)].map(([reason, ofReason]) => {
    const deals = [...new Map(ofReason.map((deal) => [deal.dealId, deal])).values()];
    const amounts = deals.map((deal) => ({ currency: deal.currency ?? currency, amount: String(deal.amount ?? 0) }));
    const listed = ofReason.sort(largestFirst).slice(0, limit);
    return [reason, { reason, count: deals.length, totals: toTotals(amounts, currency), listed }] as const;
  });
  return new Map(groups);
}

/** The group of deals that no calculation reads, so that every one of them has this reason and no other. */
function toGroup(reason: ExceptionReason, { count, totals, largest }: UnreadDeals, currency: string): Group {
  const listed = largest.map((deal) => ({ ...deal, reason, rules: [], missing: [] }));
  return { reason, count, totals: toTotals(totals, currency), listed };
}

function toTotals(amounts: UnreadDeals['totals'], currency: string): Group['totals'] {
  return [...sumsByCurrency(amounts)]
    .map(([code, amount]) => ({ currency: code, amount: amount.toNumber() }))
    .sort(
      (a, b) => Number(b.currency === currency) - Number(a.currency === currency) || (a.currency < b.currency ? -1 : 1),
    );
}

function largestFirst(a: Exception, b: Exception): number {
  return Math.abs(b.amount ?? 0) - Math.abs(a.amount ?? 0) || (a.dealId < b.dealId ? -1 : 1);
}

function idsIn(groups: readonly Group[]): string[] {
  const listed = groups.flatMap((group) => group.listed);
  const ids = listed.flatMap(({ repId, rules }) => [repId, ...rules.map(({ planId }) => planId)]);
  return [...new Set(ids.filter((id) => id !== null))];
}

function toDealResponse(
  exception: Exception,
  names: ReadonlyMap<string, string>,
  acceptances: Acceptances,
): ExceptionsResponse['exceptions'][number]['deals'][number] {
  const { reason: _, rules, ...deal } = exception;
  const accepted = acceptances.find(exception);
  const findName = (id: string | null) => (id === null ? null : (names.get(id) ?? null));
  return {
    ...deal,
    repName: findName(deal.repId),
    rules: rules.map((rule) => ({ ...rule, planName: findName(rule.planId) })),
    missing: [...deal.missing],
    ...(accepted === undefined ? {} : { acceptance: accepted }),
  };
}

export const listCommissionExceptions = operation({
  id: 'listCommissionExceptions',
  summary: 'What did not pay in a period, grouped by reason, with counts, sums and the first deals of each reason',
  method: 'get',
  path: '/v1/commissions/exceptions',
  access: 'manager',
  query,
  response,
  failures: { plan_too_complex: 400 },
  cacheScope: () => null,
  tool: {
    name: 'list_exceptions',
    title: 'List exceptions',
    hints: effects.reads,
    description: {
      purpose: 'Deals of a period that paid nothing, by reason, each reason with what to do.',
      useWhen: 'you check a period before it is closed, or ask why deals paid nothing.',
      notFor: 'one deal (use get_commissions with dealId).',
      changes: 'nothing.',
    },
    arguments: { period: 'The current month by default', accepted: 'Those accepted as expected', ...unfilteredPeople },
    listsWithin: ['exceptions'],
    summary: ({ period, deals, exceptions }) => `Period ${period}: ${deals} deals, ${exceptions.length} reasons.`,
  },
  example: {
    query: { period: '2026-02', limit: '20' },
    response: {
      period: '2026-02',
      currency: 'USD',
      deals: 1,
      exceptions: [
        {
          reason: 'quota_missing',
          meaning: 'The rule needs a quota that is not set. Set the quota.',
          count: 1,
          totals: [{ currency: 'USD', amount: 120000 }],
          deals: [
            {
              dealId: sampleIds.dealId,
              name: null,
              stage: 'Won',
              closeDate: '2026-02-10',
              amount: 120000,
              currency: 'USD',
              repId: sampleIds.repId,
              repName: 'Ben',
              rules: [{ planId: sampleIds.planId, planName: 'AE', ruleId: sampleIds.ruleId, ruleName: 'New business' }],
              missing: [],
            },
          ],
        },
      ],
    },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK, explainer: DealExplainer },
  /** Calculates in memory every rep whom the caller may see and who has deals or a team. Writes nothing. */
  async execute(
    { query: { period: requested, limit, accepted, ...people } },
    caller,
    { unitOfWork, clock, explainer },
  ): Promise<ExceptionsResponse> {
    const list = { limit, accepted };
    const read = <T>(work: (tx: Transaction) => Promise<T>) => unitOfWork.run(caller, readOnly, work);
    const { scope, period, toExplain, unread, acceptances } = await read(async (tx) => {
      const workspace = await loadWorkspaceTerms(tx);
      const today = currentDay(workspace, clock.now());
      const selected = requested ?? toPeriod(today, 'monthly');
      const days = calendarOf({ workspace }).range(selected);
      const repIds = await filteredReps(tx, caller, today, people);
      return {
        scope: { workspace, today, days },
        period: selected,
        acceptances: await loadAcceptances(tx),
        toExplain: await listRepsToExplain(tx, days, repIds),
        unread: [
          ['owner_unresolved', repIds === null ? await findUnownedDeals(tx, days, list) : null],
          ['no_close_date', await findUndatedDeals(tx, repIds, list)],
          ['split_rules_exceed_100', await findExceedingDeals(tx, days, repIds, list)],
          ['refund_without_policy', await findRefundsWithoutPolicy(tx, days, repIds, list)],
        ] as const,
      };
    });
    const all: Exception[] = [];
    for (const reps of chunk(toExplain, repsPerTransaction))
      all.push(...(await findExceptionsOf(caller, scope, reps, { unitOfWork, explainer })));
    const found = all.filter((exception) => (acceptances.find(exception) !== undefined) === accepted);
    const { currency } = scope.workspace;
    const byReason = groupByReason(found, currency, limit);
    for (const [reason, deals] of unread) if (deals !== null) byReason.set(reason, toGroup(reason, deals, currency));
    const groups = exceptionReasons.flatMap((reason) => {
      const group = byReason.get(reason);
      return group === undefined || group.count === 0 ? [] : [group];
    });
    const names = await read((tx) => findNames(tx, idsIn(groups)));
    return {
      period,
      currency,
      deals: unread.reduce(
        (sum, [, deals]) => sum + (deals?.count ?? 0),
        new Set(found.map(({ dealId }) => dealId)).size,
      ),
      exceptions: groups.map(({ listed, ...group }) => ({
        ...group,
        meaning: reasonTexts[group.reason].toAdmin,
        deals: listed.map((exception) => toDealResponse(exception, names, acceptances)),
      })),
    };
  },
});
