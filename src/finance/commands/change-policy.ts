import { z } from 'zod';
import { recordAuditEntry } from '../../audit/audit-entry.js';
import { type Caller, peopleBehind } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { invalid } from '../../kernel/failure.js';
import { workspaceToday } from '../../people/reps/rep-views.js';
import { withDryRun } from '../../platform/database/dry-run.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { flag, text } from '../../platform/operations/schemas.js';
import { recordEvent } from '../../platform/outbound/outgoing-events.js';
import { computeBeforeLock } from '../before-lock.js';
import { assertOpenMonth, loadBookMonths } from '../book-months.js';
import { isFiscal } from '../month.js';
import { policyExample, policyTerms, policyVersion, type StoredPolicy, toPolicyResponse } from '../policy.js';
import { comparePolicyAmounts, listPolicyAmounts, policyEffect } from '../policy-effect.js';
import { decidePolicy, insertPolicy } from '../policy-store.js';
import { requirePolicy } from '../policy-views.js';
import { assertMayApprove, assertProposed } from '../proposal.js';
import { storeDecision } from '../renewal-decision.js';
import { requireAccounting } from '../settings-views.js';

const query = z.strictObject({
  dryRun: flag.default(false).describe('true: return what the version does to open months; writes nothing'),
});
const previewedVersion = policyVersion.extend({ effect: policyEffect });

const uses = { unitOfWork: UnitOfWork, clock: CLOCK };
const params = { name: policyExample.name, version: String(policyExample.version) };
const nameParam = text(100).describe('Name of the policy');
const versionParams = z.strictObject({
  name: nameParam,
  version: z
    .string()
    .regex(/^\d{1,6}$/, 'must be the number of a version')
    .describe('Number of the version'),
});
const {
  name: _,
  version: __,
  status: ___,
  proposedBy: ____,
  approvedBy: _____,
  warnings: ______,
  ...body
} = policyExample;
const proposed = { ...policyExample, status: 'proposed', approvedBy: null } as const;

interface Uses {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
}

async function change(
  caller: Caller,
  { unitOfWork, clock }: Uses,
  work: (tx: Transaction, at: Date) => Promise<StoredPolicy>,
): Promise<z.input<typeof policyVersion>> {
  return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
    await requireAccounting(tx);
    const { name, version } = await work(tx, clock.now());
    return toPolicyResponse(await requirePolicy(tx, name, version));
  });
}

/**
 * The version, which `store` has proposed or finds, and what it does once it is approved. Writes nothing. Deals and
 * calculations wait while the books are computed with the version, and not while they are computed without it.
 */
async function preview(
  caller: Caller,
  { unitOfWork, clock }: Uses,
  {
    check,
    store,
  }: {
    /** Throws before anything is computed if the version is not to be proposed or approved. */
    readonly check: (tx: Transaction) => Promise<unknown>;
    readonly store: (tx: Transaction, at: Date) => Promise<StoredPolicy>;
  },
): Promise<z.input<typeof previewedVersion>> {
  const listBefore = await computeBeforeLock(caller, { unitOfWork, clock }, async (tx, today) => {
    await requireAccounting(tx);
    await check(tx);
    return listPolicyAmounts(tx, today);
  });
  return withDryRun<z.input<typeof previewedVersion>>(true, (end) =>
    unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      await requireAccounting(tx);
      const [today, at] = [await workspaceToday(tx, clock), clock.now()];
      const before = await listBefore(tx, today);
      const policy = await store(tx, at);
      await decidePolicy(tx, caller, policy, { status: 'approved', at });
      const effect = comparePolicyAmounts(before, await listPolicyAmounts(tx, today));
      return end({ ...toPolicyResponse(policy), effect });
    }),
  );
}

function record(tx: Transaction, caller: Caller, trigger: string, policy: StoredPolicy, at: Date): Promise<void> {
  const { name, version, from } = policy;
  return recordAuditEntry(tx, caller, { trigger, scope: 'accounting', details: { name, version, from }, at });
}

async function assertBeginsOpen(tx: Transaction, clock: Clock, from: string): Promise<void> {
  const months = await loadBookMonths(tx, await workspaceToday(tx, clock));
  if (isFiscal(from) !== isFiscal(months.from))
    throw invalid({ path: 'from', message: `must be a month such as ${months.from}, with which the books begin` });
  assertOpenMonth(months, from, `${from} is closed. A version counts from a month that is open.`);
}

export const proposePolicy = operation({
  id: 'proposePolicy',
  summary: 'Propose a version of a policy of capitalised cost, which has no effect until another admin approves it',
  method: 'post',
  path: '/v1/accounting/policies/:name/versions',
  access: 'admin',
  scope: null,
  params: z.strictObject({ name: nameParam }),
  query,
  body: z.strictObject(policyTerms),
  response: previewedVersion,
  status: 201,
  failures: { accounting_off: 409, month_closed: 409, period_not_of_contract: 400 },
  example: { params: { name: params.name }, body, response: proposed },
  uses,
  async execute({ params: { name }, query: { dryRun }, body: terms }, caller, parts) {
    const propose = async (tx: Transaction, at: Date) => {
      await assertBeginsOpen(tx, parts.clock, terms.from);
      const decided = await storeDecision(tx, name, terms, await workspaceToday(tx, parts.clock));
      const version = await insertPolicy(tx, caller, { name, terms: decided, at });
      return requirePolicy(tx, name, version);
    };
    if (dryRun) {
      const check = (tx: Transaction) => assertBeginsOpen(tx, parts.clock, terms.from);
      return preview(caller, parts, { check, store: propose });
    }
    return change(caller, parts, async (tx, at) => {
      const policy = await propose(tx, at);
      const { version } = policy;
      await recordEvent(tx, {
        type: 'accounting.policy_proposed',
        doneBy: peopleBehind(caller),
        data: { policy: name, version },
      });
      await record(tx, caller, 'accounting_policy_proposed', policy, at);
      return policy;
    });
  },
});

export const approvePolicy = operation({
  id: 'approvePolicy',
  summary: 'Approve a version of a policy that another admin has proposed',
  method: 'post',
  path: '/v1/accounting/policies/:name/versions/:version/approve',
  access: 'admin',
  stepUp: ({ query: { dryRun } }) => !dryRun,
  scope: null,
  params: versionParams,
  query,
  response: previewedVersion,
  failures: {
    accounting_off: 409,
    policy_not_found: 404,
    invalid_transition: 409,
    month_closed: 409,
    own_proposal: 403,
  },
  example: { params, response: policyExample },
  uses,
  async execute({ params: { name, version }, query: { dryRun } }, caller, parts) {
    if (dryRun) {
      const find = (tx: Transaction) => requireProposed(tx, name, Number(version));
      return preview(caller, parts, { check: find, store: find });
    }
    return change(caller, parts, async (tx, at) => {
      const policy = await requireProposed(tx, name, Number(version));
      await assertMayApprove(tx, caller, policy);
      await assertBeginsOpen(tx, parts.clock, policy.from);
      await decidePolicy(tx, caller, policy, { status: 'approved', at });
      await recordEvent(tx, { type: 'accounting.policy_approved', data: { policy: name, version: policy.version } });
      await record(tx, caller, 'accounting_policy_approved', policy, at);
      return policy;
    });
  },
});

export const withdrawPolicy = operation({
  id: 'withdrawPolicy',
  summary: 'Withdraw a version of a policy that is not approved',
  method: 'delete',
  path: '/v1/accounting/policies/:name/versions/:version',
  access: 'admin',
  scope: null,
  params: versionParams,
  response: policyVersion,
  failures: { accounting_off: 409, policy_not_found: 404, invalid_transition: 409 },
  example: { params, response: { ...proposed, status: 'withdrawn' } },
  uses,
  async execute({ params: { name, version } }, caller, parts) {
    return change(caller, parts, async (tx, at) => {
      const policy = await requireProposed(tx, name, Number(version));
      await decidePolicy(tx, caller, policy, { status: 'withdrawn', at });
      await record(tx, caller, 'accounting_policy_withdrawn', policy, at);
      return policy;
    });
  },
});

async function requireProposed(tx: Transaction, name: string, version: number): Promise<StoredPolicy> {
  const policy = await requirePolicy(tx, name, version);
  assertProposed(policy);
  return policy;
}
