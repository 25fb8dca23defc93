import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { assertRepExists, workspaceToday } from '../../people/reps/rep-views.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { exactAmount } from '../../platform/operations/money-digits.js';
import { operation } from '../../platform/operations/operation.js';
import { pathId, requireUuid } from '../../platform/operations/schemas.js';
import { recordEvent } from '../../platform/outbound/outgoing-events.js';
import { loadBookMonths } from '../book-months.js';
import { assertMayApprove, assertProposed } from '../proposal.js';
import { requireAccounting, requireEntity } from '../settings-views.js';
import { type StoredWriteOff, toWriteOffResponse, writeOff, writeOffExample, writeOffTerms } from '../write-off.js';
import { assertMayWriteOff, decideWriteOff, storeProposal, toEventData } from '../write-off-store.js';
import { requireWriteOff } from '../write-off-views.js';

const uses = { unitOfWork: UnitOfWork, clock: CLOCK };
const params = z.strictObject({ writeOffId: pathId.describe('Id of the write-off (UUID)') });
const { writeOffId, repId, entity, currency, amount, day, reason } = writeOffExample;
const proposed = { ...writeOffExample, status: 'proposed', approvedBy: null } as const;

async function change(
  caller: Caller,
  { unitOfWork, clock }: { readonly unitOfWork: UnitOfWork; readonly clock: Clock },
  work: (tx: Transaction, at: Date) => Promise<string>,
): Promise<z.input<typeof writeOff>> {
  return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
    await requireAccounting(tx);
    return toWriteOffResponse(await requireWriteOff(tx, await work(tx, clock.now())));
  });
}

async function requireProposed(tx: Transaction, id: string): Promise<StoredWriteOff> {
  const found = await requireWriteOff(
    tx,
    requireUuid(id, 'write_off_not_found', 'There is no write-off with this id.'),
  );
  assertProposed(found);
  return found;
}

export const proposeWriteOff = operation({
  id: 'proposeWriteOff',
  summary: 'Propose to write off what a person owes, which has no effect until another admin approves it',
  method: 'post',
  path: '/v1/accounting/write-offs',
  access: 'admin',
  scope: null,
  body: z.strictObject(writeOffTerms),
  response: writeOff,
  status: 201,
  failures: {
    accounting_off: 409,
    rep_not_found: 404,
    month_not_found: 404,
    month_closed: 409,
    own_debt: 403,
    entity_not_found: 404,
  },
  example: { body: { repId, entity, currency, amount, day, reason }, response: proposed },
  uses,
  async execute({ body }, caller, parts) {
    return change(caller, parts, async (tx, at) => {
      await assertRepExists(tx, body.repId);
      await requireEntity(tx, body.entity);
      assertMayWriteOff(caller, await loadBookMonths(tx, await workspaceToday(tx, parts.clock)), body);
      return storeProposal(tx, caller, { ...body, amount: exactAmount(body.amount, body.currency) }, at);
    });
  },
});

export const approveWriteOff = operation({
  id: 'approveWriteOff',
  summary: 'Approve a write-off that another admin has proposed',
  method: 'post',
  path: '/v1/accounting/write-offs/:writeOffId/approve',
  access: 'admin',
  stepUp: 'always',
  scope: null,
  params,
  response: writeOff,
  failures: {
    accounting_off: 409,
    write_off_not_found: 404,
    invalid_transition: 409,
    month_not_found: 404,
    month_closed: 409,
    own_proposal: 403,
    own_debt: 403,
  },
  example: { params: { writeOffId }, response: writeOffExample },
  uses,
  async execute({ params: { writeOffId: id } }, caller, parts) {
    return change(caller, parts, async (tx, at) => {
      const found = await requireProposed(tx, id);
      await assertMayApprove(tx, caller, found);
      assertMayWriteOff(caller, await loadBookMonths(tx, await workspaceToday(tx, parts.clock)), found);
      await decideWriteOff(tx, caller, found, { status: 'approved', at });
      await recordEvent(tx, { type: 'accounting.write_off_approved', data: toEventData(found) });
      return found.writeOffId;
    });
  },
});

export const withdrawWriteOff = operation({
  id: 'withdrawWriteOff',
  summary: 'Withdraw a write-off that is not approved',
  method: 'delete',
  path: '/v1/accounting/write-offs/:writeOffId',
  access: 'admin',
  scope: null,
  params,
  response: writeOff,
  failures: { accounting_off: 409, write_off_not_found: 404, invalid_transition: 409 },
  example: { params: { writeOffId }, response: { ...proposed, status: 'withdrawn' } },
  uses,
  async execute({ params: { writeOffId: id } }, caller, parts) {
    return change(caller, parts, async (tx, at) => {
      const found = await requireProposed(tx, id);
      await decideWriteOff(tx, caller, found, { status: 'withdrawn', at });
      return found.writeOffId;
    });
  },
});
