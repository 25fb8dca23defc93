import { timingSafeEqual } from 'node:crypto';
import { type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type Secrets } from '../../platform/secrets/secrets.js';
import { codeHmac, codePattern, emailHash, networkHash } from './sign-in-code.js';
import { type TriedCode, tryCode } from './sign-in-code-store.js';

export interface CodeAttempt {
  readonly email: string;
  readonly code: string;
  /** The code that the nonce names; null without a nonce. */
  readonly codeId: string | null;
  /** The address is the network address of the request. */
  readonly address: string;
}

/** The stored code if it is right; null for wrong, expired and used codes. The attempt counts in both cases. */
export async function findRightCode(
  { email, code, codeId, address }: CodeAttempt,
  unitOfWork: UnitOfWork,
  secrets: Secrets,
): Promise<TriedCode | null> {
  if (!codePattern.test(code)) return null;
  // Committed before the comparison, so the attempt counts whatever happens next.
  const attempt = { emailHash: emailHash(secrets, email), networkHash: networkHash(secrets, address), codeId };
  const outcome = await unitOfWork.withoutWorkspace((tx) => tryCode(tx, attempt));
  return outcome !== null && isRight(outcome, email, code, secrets) ? outcome : null;
}

function isRight({ codeId, salt, hmac }: TriedCode, email: string, code: string, secrets: Secrets): boolean {
  return timingSafeEqual(codeHmac(secrets, email, codeId, salt, code), hmac);
}
