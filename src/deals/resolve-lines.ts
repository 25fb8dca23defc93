import { Failure } from '../kernel/failure.js';
import { unknownReps } from '../people/reps/rep-views.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type EnteredLine, type SentLine } from './deal-credits.js';
import { DealOwners } from './deal-owners.js';

/** The people of sent lines: by id, by e-mail address, or as an owner of deals. Rejects unknown ones. */
export async function resolveLines(tx: Transaction, sent: readonly SentLine[]): Promise<EnteredLine[]> {
  const owners = new DealOwners(tx);
  await owners.preload(sent.map((line) => ({ projection: toOwner(line) })));
  const unknown = await unknownReps(
    tx,
    sent.flatMap(({ repId }) => repId ?? []),
  );
  return sent.map((line) => {
    const { kind, role = null, percent, affects } = line;
    const repId = line.repId === null ? null : owners.resolve(toOwner(line));
    if (line.repId !== null && (repId === null || repId === undefined || unknown.includes(repId)))
      throw new Failure(
        'rep_not_found',
        `No rep of this workspace is ${line.repId ?? line.email ?? line.crmMemberId}.`,
      );
    return { repId: repId ?? null, kind, role, percent: String(percent), affects };
  });
}

function toOwner({ repId, email, crmMemberId }: SentLine) {
  return { givenRepId: repId ?? null, ownerId: crmMemberId ?? null, ownerEmail: email ?? null };
}
