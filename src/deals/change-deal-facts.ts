import { type Caller } from '../kernel/caller.js';
import { type Clock } from '../kernel/clock.js';
import { type CommissionChanges } from '../ledger/requests/commission-changes.js';
import { type Recalculate } from '../ledger/requests/recalculate.js';
import { requestAsJob } from '../ledger/requests/request-as-job.js';
import { workspaceToday } from '../people/reps/rep-views.js';
import { withDryRun } from '../platform/database/dry-run.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { computeMovement, loadAffectedWithin, type Movement } from '../simulation/write-effect.js';
import { type AffectedReps, merge } from './affected-reps.js';
import { type BlockedPerson, findBlockedPeople } from './change-credits.js';
import { type CreditsEffect, computePaidTwice, describeEffect } from './credits-effect.js';

/** What a change of facts of deals affects. */
export interface ChangedFacts {
  readonly affected: ReadonlyMap<string, AffectedReps>;
}

/** The people of all deals together, each with the affected days. */
export function affectedOfAll({ affected }: ChangedFacts): AffectedReps {
  return [...affected.values()].reduce(merge, new Map());
}

/** A change of what is stored beside a deal, such as its credit lines, in one transaction. */
interface FactChange<Content> {
  readonly trigger: 'credits' | 'lines';
  readonly write: () => Promise<ChangedFacts>;
  readonly describe: () => Promise<Content>;
}

/** Prepares the change, once for its preview and its write. */
export type BeginChange<Content> = (tx: Transaction) => Promise<FactChange<Content>>;

interface Uses {
  readonly changes: CommissionChanges;
  readonly clock: Clock;
}

interface FactsChanged<Content> {
  readonly content: Content;
  readonly paidTwice: readonly PaidTwice[];
  readonly blocked: readonly BlockedPerson[];
  readonly jobId: string;
}

/** Changes facts of one deal and requests the calculation. */
export async function runFactChange<Content, Response>(
  { changes, clock }: Uses,
  caller: Caller,
  begin: BeginChange<Content>,
  respond: (tx: Transaction, changed: FactsChanged<Content>) => Promise<Response>,
): Promise<Response> {
  return changes.run(caller, 'shared', async (tx, recalculate) => {
    const { trigger, write, describe } = await begin(tx);
    // Calculates the change only if an approved period keeps rows of it.
    const { movement } = await computeMovement(tx, await workspaceToday(tx, clock), async () => {
      const affected = affectedOfAll(await write());
      const blocked = await findBlockedPeople(tx, affected);
      return { result: null, affected: blocked.length === 0 ? new Map() : await loadAffectedWithin(tx, affected) };
    });
    const changed = await write();
    const blocked = await findBlockedPeople(tx, affectedOfAll(changed));
    const jobId = await requestFactCalculation(tx, recalculate, caller, trigger, changed);
    return respond(tx, { content: await describe(), paidTwice: warnOfPaidTwice(movement), blocked, jobId });
  });
}

interface FactsPreviewed<Content> {
  readonly before: Content;
  readonly after: Content;
  readonly paidTwice: readonly PaidTwice[];
  readonly blocked: readonly BlockedPerson[];
  readonly effect: CreditsEffect;
}

/** What {@link runFactChange} would do, without writing anything. */
export async function previewFactChange<Content, Response>(
  { changes, clock }: Uses,
  caller: Caller,
  begin: BeginChange<Content>,
  respond: (tx: Transaction, previewed: FactsPreviewed<Content>) => Promise<Response>,
): Promise<Response> {
  return withDryRun<Response>(true, (end) =>
    changes.run(caller, 'exclusive', async (tx) => {
      const { write, describe } = await begin(tx);
      const before = await describe();
      const { result, movement } = await computeMovement(tx, await workspaceToday(tx, clock), async () => {
        const affected = affectedOfAll(await write());
        const after = await describe();
        const blocked = await findBlockedPeople(tx, affected);
        return { result: { after, blocked }, affected: await loadAffectedWithin(tx, affected) };
      });
      const effect = await describeEffect(tx, movement);
      return end(await respond(tx, { before, ...result, paidTwice: warnOfPaidTwice(movement), effect }));
    }),
  );
}

/** Requests the calculation of everyone affected, as one job. Returns its id. */
async function requestFactCalculation(
  tx: Transaction,
  recalculate: Recalculate,
  caller: Caller,
  trigger: FactChange<unknown>['trigger'],
  changed: ChangedFacts,
): Promise<string> {
  const { affected } = changed;
  const [only] = affected.size === 1 ? affected.keys() : [];
  const requests = [...affected].flatMap(([dealId, reps]) =>
    [...reps].map(([repId, days]) => ({ repId, days, dealId })),
  );
  return requestAsJob(tx, recalculate, caller, { trigger, requests, deals: affected.size, dealId: only });
}

interface PaidTwice {
  readonly code: 'paid_twice';
  readonly message: string;
  readonly currency: string;
  readonly amount: number;
}

function warnOfPaidTwice(movement: Movement | null): PaidTwice[] {
  return movement === null
    ? []
    : computePaidTwice(movement).map(({ currency, amount }) => ({
        code: 'paid_twice',
        message: `${currency} ${amount.toFixed(2)} is paid twice until the discrepancies of the approved statements are resolved.`,
        currency,
        amount,
      }));
}
