import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { failpoint } from '../../../platform/failpoint.js';
import { AttemptLimits } from '../../../platform/limits/attempt-limits.js';
import { operation } from '../../../platform/operations/operation.js';
import { uuid } from '../../../platform/operations/schemas.js';
import { Secrets } from '../../../platform/secrets/secrets.js';
import { FailedSignIns } from '../failed-sign-ins.js';
import { findRightCode } from '../right-code.js';
import { chooseWorkspace, invalidCode, type Session, session, sessionExample, typedEmail } from '../sign-in.js';
import { networkHash, readCodeId } from '../sign-in-code.js';
import { returnTry, useCode } from '../sign-in-code-store.js';
import { SignIns } from '../sign-ins.js';

// A malformed code is a wrong code: 401, not 400.
const body = z.strictObject({
  email: typedEmail.describe('E-mail address to which the code was sent'),
  code: z.string().max(100).describe('The code of the e-mail'),
  nonce: z
    .string()
    .max(200)
    .optional()
    .describe('Nonce of the response that sent the code: attempts of others then do not count against this sign-in'),
  workspaceId: uuid.optional().describe('Workspace (UUID) to sign in to; needed if the address belongs to several'),
});
type VerifyBody = z.infer<typeof body>;

async function signIn(
  { email, code, workspaceId }: VerifyBody,
  codeId: string | null,
  address: string,
  unitOfWork: UnitOfWork,
  secrets: Secrets,
  people: SignIns,
): Promise<Session | null> {
  const outcome = await findRightCode({ email, code, codeId, address }, unitOfWork, secrets);
  if (outcome === null) return null;
  if (workspaceId !== undefined && outcome.workspaceId !== null && workspaceId !== outcome.workspaceId) return null;
  const signIns = await people.find(email, workspaceId ?? outcome.workspaceId);
  const [first, ...others] = signIns;
  if (first === undefined) return null;
  if (others.length > 0) {
    // A right code without its workspace is no failed attempt.
    await unitOfWork.withoutWorkspace((tx) =>
      returnTry(tx, outcome.codeId, { codeId, networkHash: networkHash(secrets, address) }),
    );
    throw chooseWorkspace(signIns);
  }
  return people.open(first, 'otp', async (tx) => {
    if (!(await useCode(tx, outcome.codeId))) return false;
    await failpoint('otp.afterConsume');
    return true;
  });
}

export const verifyCode = operation({
  id: 'verifyCode',
  summary: 'Sign in with the code from the e-mail; wrong and expired codes get the same response',
  method: 'post',
  path: '/auth/otp/verify',
  access: 'public',
  body,
  response: session,
  secret: true,
  browserSignIn: 'code',
  failures: { invalid_code: 401 },
  example: { body: { email: 'ben@acme.test', code: '314159' }, response: sessionExample },
  uses: {
    unitOfWork: UnitOfWork,
    secrets: Secrets,
    limits: AttemptLimits,
    failedSignIns: FailedSignIns,
    people: SignIns,
  },
  async execute({ body: request }, caller, { unitOfWork, secrets, limits, failedSignIns, people }): Promise<Session> {
    const codeId = request.nonce === undefined ? null : readCodeId(secrets, request.email, request.nonce);
    if (codeId === null) limits.assertNotBlocked(caller.address ?? '');
    const opened = await signIn(request, codeId, caller.address ?? '', unitOfWork, secrets, people);
    if (opened !== null) return opened;
    await failedSignIns.record(caller, 'otp', request.email);
    throw invalidCode();
  },
});
