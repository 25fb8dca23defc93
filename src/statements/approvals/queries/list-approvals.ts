import { z } from 'zod';
import { fields, pageFields } from '../../../api/resource-fields.js';
import { type Caller, visibleReps } from '../../../kernel/caller.js';
import { Decimal } from '../../../kernel/decimal.js';
import { groupBy } from '../../../kernel/group-by.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { type Transaction, UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { offsetPage, optionalPeriod } from '../../../platform/operations/schemas.js';
import { readMeans } from '../../deviations.js';
import { findVersion } from '../../statement-views.js';
import { approval } from '../approval.js';
import { approvalExample } from '../approval-example.js';
import { toApprovalResponse, waitsFor } from '../approval-response.js';
import { type ChainState, type Chains, findSigning, listSubjects, loadChains, readChain } from '../approval-state.js';
import { compareContent, contentChange, totalOf } from '../content-change.js';

const query = z.strictObject({
  waitingFor: z
    .enum(['me', 'anyone'])
    .default('me')
    .describe('me: the statements that the caller may sign now; anyone: all that the caller sees and that wait'),
  period: optionalPeriod.describe('Only statements of this period; all periods by default'),
  ...offsetPage('statements', 500, 100),
});

const waiting = z
  .object({
    repId: fields.repId,
    repName: fields.repName,
    period: fields.period,
    version: fields.version,
    amount: z.number().describe('What the statement pays, or earns in workspaces without payouts, in `currency`'),
    currency: fields.currency,
    approval,
    onBehalfOf: z.string().optional().describe('Id of the person whose delegate the caller would be (UUID)'),
    changes: contentChange
      .nullable()
      .describe(
        'What differs from the version that was signed last, also by a signature that counts no longer; null before the first',
      ),
    usual: z
      .number()
      .nullable()
      .describe(
        'Mean of what the rep earned in the last 12 months with amounts; null with fewer than 6, and for other periods',
      ),
  })
  .describe('A statement with a step that waits');
type Waiting = z.input<typeof waiting>;

interface Found {
  readonly chains: Chains;
  readonly state: ChainState;
  readonly period: string;
  readonly repName: string;
}

/** The drafts of which a step waits, those that wait longest first. */
async function findWaiting(
  tx: Transaction,
  caller: Caller,
  { waitingFor, period }: z.output<typeof query>,
  now: Date,
): Promise<Found[]> {
  const subjects = await listSubjects(tx, { period: period ?? null, repIds: visibleReps(caller) });
  const drafts = subjects.filter(({ status }) => status === 'draft');
  const found: Found[] = [];
  for (const [ofPeriod, listed] of groupBy(drafts, (subject) => subject.period)) {
    const repIds = listed.length > maxNamed ? null : listed.map(({ repId }) => repId);
    const chains = await loadChains(tx, ofPeriod, repIds, now);
    if (chains === null) return [];
    for (const { repName, ...subject } of listed) {
      const state = readChain(chains, subject);
      const isWanted = waitingFor === 'anyone' ? state.next !== null : waitsFor(chains, state, caller.repId);
      if (isWanted) found.push({ chains, state, period: ofPeriod, repName });
    }
  }
  return found.sort((a, b) => sinceOf(a) - sinceOf(b));
}

/** More people are not named one by one. */
const maxNamed = 500;

function sinceOf({ state }: Found): number {
  return state.next?.since.getTime() ?? 0;
}

/** What the people of the page usually earn, with one read for each period and currency. */
async function readUsual(tx: Transaction, page: readonly Found[]): Promise<ReadonlyMap<Found, number>> {
  const usual = new Map<Found, number>();
  for (const same of groupBy(page, ({ period, state }) => `${period} ${state.subject.currency}`).values()) {
    const [{ period, state }] = same as [Found, ...Found[]];
    const repIds = same.map((each) => each.state.subject.repId);
    const means = await readMeans(tx, { period, currency: state.subject.currency }, repIds);
    for (const each of same) {
      const found = means.get(each.state.subject.repId);
      if (found !== undefined) usual.set(each, Decimal.of(found.mean).rounded(2).toNumber());
    }
  }
  return usual;
}

async function toResponse(
  tx: Transaction,
  caller: Caller,
  { chains, state, period, repName }: Found,
  usual: number | null,
): Promise<Waiting> {
  const { repId, version, summary, currency } = state.subject;
  const signing = caller.repId === null ? null : findSigning(chains, state, caller.repId);
  const onBehalfOf = signing === null || signing === 'already_signed' ? null : signing.onBehalfOf;
  return {
    repId,
    repName,
    period,
    version,
    amount: totalOf(summary).toNumber(),
    currency,
    approval: toApprovalResponse(chains, state, caller),
    ...(onBehalfOf === null ? {} : { onBehalfOf }),
    changes: await readChange(tx, { repId, period }, state),
    usual,
  };
}

async function readChange(
  tx: Transaction,
  key: { readonly repId: string; readonly period: string },
  { history, subject }: ChainState,
): Promise<Waiting['changes']> {
  const last = history.findLast(({ signerId }) => signerId !== null);
  if (last === undefined) return null;
  const [before, after] = [await findVersion(tx, key, last.version), await findVersion(tx, key, subject.version)];
  return before === null || after === null ? null : compareContent(before, after);
}

export const listApprovals = operation({
  id: 'listApprovals',
  summary:
    'List the statements with a step of the chain of approval that waits, with what differs since the last signature. Reps see their own, where a step needs their consent',
  method: 'get',
  path: '/v1/approvals',
  access: 'rep',
  query,
  response: z.object({
    approvals: z.array(waiting).describe('The statements of the page, those that wait longest first'),
    ...pageFields,
  }),
  failures: {},
  tool: {
    name: 'list_approvals',
    title: 'List approvals',
    hints: effects.reads,
    description: {
      purpose: 'Statements that wait for a signature, with what differs since the last. waitsForMe: yours.',
      useWhen: 'someone asks what waits.',
      notFor: 'approved ones (get_commissions).',
      changes: 'nothing.',
    },
    arguments: { waitingFor: { always: 'anyone' }, period: 'This period' },
    list: 'approvals',
    summary: ({ count }) => `Statements that wait: ${count}.`,
  },
  example: {
    query: { waitingFor: 'anyone' },
    response: {
      approvals: [
        {
          repId: sampleIds.repId,
          repName: 'Ben',
          period: '2026-02',
          version: 1,
          amount: 10650,
          currency: 'USD',
          approval: approvalExample,
          changes: null,
          usual: null,
        },
      ],
      count: 1,
      limit: 100,
      offset: 0,
    },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ query: request }, caller, { unitOfWork, clock }) {
    const { limit, offset } = request;
    return unitOfWork.read(caller, async (tx) => {
      const found = await findWaiting(tx, caller, request, clock.now());
      const page = found.slice(offset, offset + limit);
      const usual = await readUsual(tx, page);
      const approvals: Waiting[] = [];
      for (const each of page) approvals.push(await toResponse(tx, caller, each, usual.get(each) ?? null));
      return { approvals, count: found.length, limit, offset };
    });
  },
});
