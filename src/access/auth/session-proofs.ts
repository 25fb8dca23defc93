import { sql } from 'kysely';
import { type Caller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { type Transaction, type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type IdentityProofs } from '../../platform/operations/operation-dispatcher.js';

/** When the people of sessions last entered a code or signed in at an identity provider. */
export class SessionProofs implements IdentityProofs {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async assertRecent(caller: Caller): Promise<void> {
    const maxMinutes = await this.unitOfWork.read(caller, (tx) => findMissedLimit(tx, caller));
    if (maxMinutes === null) return;
    throw new Failure(
      'step_up_required',
      `This needs a confirmation that it is you, at most ${maxMinutes} minutes old. Request a code with POST /auth/otp/send, send it to POST /auth/confirm, and repeat the request.`,
      { maxMinutes },
    );
  }
}

/** The workspace's limit in minutes if the last proof of the session is older or missing; null if the proof suffices. */
async function findMissedLimit(tx: Transaction, { tokenId }: Caller): Promise<number | null> {
  const found = await tx.db
    .selectFrom('workspaces as w')
    .leftJoin('tokens as t', (join) =>
      join.onRef('t.workspace_id', '=', 'w.workspace_id').on('t.token_id', '=', tokenId ?? null),
    )
    .select('w.step_up_minutes as maxMinutes')
    .where('w.workspace_id', '=', tx.workspaceId)
    .where('w.step_up_minutes', 'is not', null)
    .where(sql<boolean>`t.proved_at > now() - make_interval(mins => w.step_up_minutes) is not true`)
    .executeTakeFirst();
  return found?.maxMinutes ?? null;
}

/** Records that the person of the session has proved their identity. */
export async function recordProof(tx: Transaction, { tokenId }: Caller): Promise<void> {
  await tx.db
    .updateTable('tokens')
    .set({ proved_at: sql<Date>`now()` })
    .where('workspace_id', '=', tx.workspaceId)
    .where('token_id', '=', tokenId ?? null)
    .where('kind', '=', 'sess')
    .execute();
}
