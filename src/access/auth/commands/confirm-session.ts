import { z } from 'zod';
import { type Caller } from '../../../kernel/caller.js';
import { Failure } from '../../../kernel/failure.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { AttemptLimits } from '../../../platform/limits/attempt-limits.js';
import { operation } from '../../../platform/operations/operation.js';
import { Secrets } from '../../../platform/secrets/secrets.js';
import { FailedSignIns } from '../failed-sign-ins.js';
import { findIdentity } from '../identity-views.js';
import { type CodeAttempt, findRightCode } from '../right-code.js';
import { recordProof } from '../session-proofs.js';
import { invalidCode } from '../sign-in.js';
import { readCodeId } from '../sign-in-code.js';
import { useCode } from '../sign-in-code-store.js';

// A malformed code is a wrong code.
const body = z.strictObject({
  code: z.string().max(100).describe('The code of the e-mail that POST /auth/otp/send sent to the person'),
  nonce: z.string().max(200).optional().describe('Nonce of the response that sent the code'),
});

/** False for a wrong code, and for the code of another workspace. */
async function confirm(
  attempt: CodeAttempt,
  caller: Caller,
  unitOfWork: UnitOfWork,
  secrets: Secrets,
): Promise<boolean> {
  const right = await findRightCode(attempt, unitOfWork, secrets);
  if (right === null || (right.workspaceId !== null && right.workspaceId !== caller.workspaceId)) return false;
  return unitOfWork.write(caller, async (tx) => {
    if (!(await useCode(tx, right.codeId))) return false;
    await recordProof(tx, caller);
    return true;
  });
}

export const confirmSession = operation({
  id: 'confirmSession',
  summary: 'Confirm the person of this session with a new code from an e-mail, for operations with step-up',
  method: 'post',
  path: '/auth/confirm',
  access: 'rep',
  payroll: true,
  finance: true,
  body,
  response: z.object({ confirmed: z.literal(true).describe('Always true') }),
  // Not 401: the session is still valid.
  failures: { invalid_code: 400 },
  example: { body: { code: '314159', nonce: 'f9c71d35-….bm9uY2U' }, response: { confirmed: true } },
  uses: { unitOfWork: UnitOfWork, secrets: Secrets, limits: AttemptLimits, failedSignIns: FailedSignIns },
  async execute({ body: { code, nonce } }, caller, { unitOfWork, secrets, limits, failedSignIns }) {
    const { email } = await unitOfWork.read(caller, (tx) => findIdentity(tx, caller));
    if (caller.tokenKind !== 'sess' || email === null)
      throw new Failure('forbidden', 'Only a session can be confirmed. Keys need no confirmation.');
    const address = caller.address ?? '';
    const codeId = nonce === undefined ? null : readCodeId(secrets, email, nonce);
    if (codeId === null) limits.assertNotBlocked(address);
    if (await confirm({ email, code, codeId, address }, caller, unitOfWork, secrets))
      return { confirmed: true as const };
    await failedSignIns.record(caller, 'step_up', email);
    throw invalidCode();
  },
});
