import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { Failure } from '../../kernel/failure.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { AttemptLimits } from '../../platform/limits/attempt-limits.js';
import { type Input, operation } from '../../platform/operation.js';
import { Secrets } from '../../platform/secrets/secrets.js';
import { FailedSignIns } from '../failed-sign-ins.js';
import { callbackPath, IdentityProvider } from '../oidc/identity-provider.js';
import { takeState } from '../oidc/sign-in-state-store.js';
import { openSession } from '../open-session.js';
import { chooseWorkspace, type Session, session, sessionExample } from '../sign-in.js';
import { findSignIns } from '../sign-in-views.js';

const answered = z.string().max(8000);
// Providers add further parameters.
const query = z
  .object({
    state: answered.optional().describe('State of the sign-in, as the identity provider returns it'),
    code: answered.optional().describe('Authorization code of the identity provider'),
    error: answered.optional().describe('Error of the identity provider, in place of a code'),
  })
  .catchall(answered);

@injectable()
export class FinishOidcLogin {
  constructor(
    @inject(UnitOfWork) private readonly unitOfWork: UnitOfWork,
    @inject(Secrets) private readonly secrets: Secrets,
    @inject(AttemptLimits) private readonly limits: AttemptLimits,
    @inject(IdentityProvider) private readonly provider: IdentityProvider,
    @inject(FailedSignIns) private readonly failedSignIns: FailedSignIns,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ query: received }: Input<unknown, z.infer<typeof query>>, caller: Caller): Promise<Session> {
    this.provider.assertConfigured();
    const address = caller.address ?? '';
    this.limits.assertNotBlocked(address);
    const { state } = received;
    const started =
      state === undefined ? null : await this.unitOfWork.withoutWorkspace((trx) => takeState(trx, this.secrets, state));
    // In another browser, the person who started the sign-in would sign in as the person who has finished it.
    const isSameBrowser = started !== null && started.browserKey === caller.browserKey;
    const email = isSameBrowser
      ? await this.provider.finish(received as Record<string, string>, started.secrecy)
      : null;
    if (started === null || email === null) {
      await this.limits.countFailure(address);
      throw signInFailed();
    }
    const opened = await this.signIn(email, started.workspaceId);
    if (opened !== null) return opened;
    await this.failedSignIns.record(caller, 'oidc', email);
    throw signInFailed();
  }

  private async signIn(email: string, workspaceId: string | null): Promise<Session | null> {
    const signIns = await this.unitOfWork.withoutWorkspace((trx) => findSignIns(trx, email, workspaceId));
    const [signIn, ...others] = signIns;
    if (signIn === undefined) return null;
    if (others.length > 0) throw chooseWorkspace(signIns);
    return this.unitOfWork.run(signIn, { lock: 'none', access: 'write' }, (trx) =>
      openSession(trx, signIn, 'oidc', this.clock),
    );
  }
}

/** One response for forged and repeated answers and for unknown addresses. */
function signInFailed(): Failure {
  return new Failure('unauthorized', 'The sign-in failed. Start again with GET /auth/oidc/login.');
}

export const finishOidcLogin = operation({
  id: 'finishOidcLogin',
  summary: 'Redirect target of the identity provider: completes the sign-in in the browser that started it',
  method: 'get',
  path: callbackPath,
  access: 'public',
  query,
  response: session,
  secret: true,
  browserSignIn: 'end',
  failures: { identity_provider_unavailable: 503 },
  example: { query: { state: 'c3RhdGU', code: 'Y29kZQ' }, answer: sessionExample },
  handler: FinishOidcLogin,
});
