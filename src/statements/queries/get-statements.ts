import { z } from 'zod';
import { listTeamPage } from '../../earnings/team-page.js';
import { pageOfTeam, teamPageQuery } from '../../earnings/team-page-query.js';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { type Period } from '../../kernel/period.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { inParallel } from '../../kernel/waiting.js';
import { loadStatementPayouts } from '../../pay/payables/statement-payouts.js';
import { unpaidReps } from '../../pay/payables/unpaid.js';
import { filteredPeopleQuery, filteredReps } from '../../people/reps/filtered-people.js';
import { assertSeesRepOrTeam, repIdQuery, repNotFound, visibleAmong } from '../../people/reps/rep.js';
import { dayOfState, findRepName } from '../../people/reps/rep-views.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { asOfQuery, flag, optionalPeriod, wholeNumber } from '../../platform/operations/schemas.js';
import { presentHolds, readApprovalHolds } from '../approval-holds.js';
import { presentApproval, presentApprovals } from '../approvals/approval-response.js';
import { readDeviations } from '../deviations.js';
import { loadHandedAmounts } from '../handed-amounts.js';
import { presentPending } from '../proposals/proposal-views.js';
import { loadOnlyCurrencies, readPayslip } from '../read-payslip.js';
import { readState } from '../staleness.js';
import {
  type StatementResponse,
  statement,
  statementExample,
  statementNotFound,
  toStatementResponse,
} from '../statement.js';
import { findVersion, listChecks, readLedger, readStatement, resolvePeriod } from '../statement-views.js';
import {
  hasAmount,
  othersOnStatements,
  readTeamStatements,
  type TeamMemberStatement,
  type TeamSelection,
  teamStatements,
  toTeamResponse,
} from '../team-statements.js';
import { countToApprove, sumTeamStatements } from '../team-sums.js';

const query = z.strictObject({
  repId: repIdQuery.optional().describe('The statement of this rep, by id (UUID); reps may see only their own'),
  period: optionalPeriod,
  include: z
    .literal('all')
    .optional()
    .describe('all: the team view also shows people without a plan, a quota or an amount in the period'),
  live: flag
    .default(false)
    .describe('true, with repId: the current ledger as version 0, also if a version was generated'),
  asOf: asOfQuery,
  version: wholeNumber(1, 1_000_000_000).optional().describe('With repId: this version instead of the latest'),
  deviations: flag
    .default(false)
    .describe('true, without repId: compares every net payout with those of the last 12 months'),
  unpaid: flag
    .default(false)
    .describe('true, without repId: only people whose approved statement pays more than payout batches contain'),
  ...filteredPeopleQuery,
  ...teamPageQuery,
});

async function readRepStatement(
  tx: Transaction,
  caller: Caller,
  repId: string,
  {
    period: requestedPeriod,
    isLive,
    version,
  }: { readonly period: Period; readonly isLive: boolean; readonly version: number | null },
  currency: string,
  clock: Clock,
): Promise<StatementResponse> {
  const key = { repId, period: requestedPeriod };
  const [repName, { head, content }] = await inParallel(
    () => findRepName(tx, repId),
    () => readStatement(tx, key, currency),
  );
  if (repName === null) throw repNotFound();
  if (isLive) {
    const live = await readLedger(tx, key, currency);
    return toStatementResponse(key, repName, null, live, caller, await readPayslip(tx, key, null, live, clock));
  }
  if (version !== null && version !== content.version) {
    const earlier = await findVersion(tx, key, version);
    if (head === null || earlier === null) throw statementNotFound();
    const paid = await readPayslip(tx, key, head, earlier, clock);
    return toStatementResponse(key, repName, { ...head, status: 'draft' }, earlier, caller, paid);
  }
  const holds = (await readApprovalHolds(tx, requestedPeriod, [repId]))(repId);
  const state = await readState(tx, key, head, content, currency);
  const paid = await readPayslip(tx, key, head, content, clock);
  return {
    ...(await toStatementResponse(key, repName, head, content, caller, { ...state, ...paid })),
    ...presentHolds(holds, caller),
    ...(await presentPending(tx, key, caller, clock.now())),
    ...(await presentApproval(tx, { repId, head, content }, caller, clock.now())),
  };
}

/** The currencies of the people about whom the statement says nothing. */
function loadCurrencies(tx: Transaction, members: readonly TeamMemberStatement[]) {
  const silent = members.filter((member) => member.payTotals !== null && !hasAmount(member));
  return loadOnlyCurrencies(
    tx,
    silent.map(({ repId }) => repId),
  );
}

async function readTeam(
  tx: Transaction,
  caller: Caller,
  requestedPeriod: Period,
  currency: string,
  selection: TeamSelection,
  request: z.infer<typeof query>,
  clock: Clock,
): Promise<z.input<typeof teamStatements>> {
  const page = pageOfTeam(request);
  const others = await othersOnStatements(tx, requestedPeriod);
  const listed = page === undefined ? null : await listTeamPage(tx, requestedPeriod, { ...selection, others }, page);
  const selected = listed === null ? selection : { repIds: listed.repIds, everyone: true };
  const members = await readTeamStatements(tx, requestedPeriod, currency, selected);
  const response = await toTeamResponse(requestedPeriod, currency, members, {
    checks: await listChecks(tx, requestedPeriod, selected.repIds),
    approvals: await presentApprovals(tx, { period: requestedPeriod, repIds: selected.repIds }, caller, clock.now()),
    holds: await readApprovalHolds(tx, requestedPeriod, selected.repIds),
    handed: await loadHandedAmounts(tx, requestedPeriod, selected.repIds),
    payouts: await loadStatementPayouts(tx, requestedPeriod, selected.repIds),
    currencies: await loadCurrencies(tx, members),
    deviations: request.deviations
      ? await readDeviations(tx, { period: requestedPeriod, currency }, members)
      : new Map(),
  });
  if (listed === null) return response;
  return {
    ...response,
    ...(await sumTeamStatements(tx, requestedPeriod, currency, selection)),
    count: listed.count,
    statuses: listed.statuses,
    toApprove: await countToApprove(tx, requestedPeriod, selection.repIds, {
      personId: caller.repId,
      now: clock.now(),
    }),
  };
}

export const getStatements = operation({
  id: 'getStatements',
  summary:
    "List the team's statements of a period, or get one rep's statement with line items. Without a generated version, the status is none and the amounts are the earnings so far. asOf: as they were at an earlier instant",
  method: 'get',
  path: '/v1/statements',
  access: 'rep',
  payroll: true,
  query,
  response: z.union([teamStatements, statement]),
  failures: { rep_not_found: 404, statement_not_found: 404 },
  cacheScope: () => null,
  example: { query: { repId: sampleIds.repId, period: '2026-02' }, response: statementExample },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ query: request }, caller, { unitOfWork, clock }) {
    assertSeesRepOrTeam(
      caller,
      request.repId,
      'Team statements need the role manager or admin. Set repId to your own id to get your statement.',
    );
    return unitOfWork.run(caller, { lock: 'none', access: 'read', asOf: request.asOf }, async (tx) => {
      const { period: requestedPeriod, currency } = await resolvePeriod(tx, request.period, clock);
      if (request.repId !== undefined) {
        const selected = { period: requestedPeriod, isLive: request.live, version: request.version ?? null };
        return readRepStatement(tx, caller, request.repId, selected, currency, clock);
      }
      const today = await dayOfState(tx, clock);
      const filtered = await filteredReps(tx, caller, today, request);
      const repIds = request.unpaid ? visibleAmong(filtered, await unpaidReps(tx, requestedPeriod)) : filtered;
      const selection = { repIds, everyone: request.include === 'all' };
      return readTeam(tx, caller, requestedPeriod, currency, selection, request, clock);
    });
  },
});
