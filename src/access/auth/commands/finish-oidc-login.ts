import { z } from 'zod';
import { Failure } from '../../../kernel/failure.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { AttemptLimits } from '../../../platform/limits/attempt-limits.js';
import { operation } from '../../../platform/operations/operation.js';
import { Secrets } from '../../../platform/secrets/secrets.js';
import { FailedSignIns } from '../failed-sign-ins.js';
import { IdentityProviders } from '../oidc/identity-providers.js';
import { callbackPath } from '../oidc/provider-terms.js';
import { consumeState } from '../oidc/sign-in-state-store.js';
import { chooseWorkspace, type Session, session, sessionExample } from '../sign-in.js';
import { SignIns } from '../sign-ins.js';

const responseParameter = z.string().max(8000);
// Providers add further parameters.
const query = z
  .object({
    state: responseParameter.optional().describe('State of the sign-in, as the identity provider returns it'),
    code: responseParameter.optional().describe('Authorization code of the identity provider'),
    error: responseParameter.optional().describe('Error of the identity provider, in place of a code'),
  })
  .catchall(responseParameter);

async function signIn(email: string, workspaceId: string | null, people: SignIns): Promise<Session | null> {
  const signIns = await people.find(email, workspaceId);
  const [signIn, ...others] = signIns;
  if (signIn === undefined) return null;
  if (others.length > 0) throw chooseWorkspace(signIns);
  return people.open(signIn, 'oidc');
}

/** One response for forged and repeated answers and for unknown addresses. */
function signInFailed(): Failure {
  return new Failure(
    'unauthorized',
    'The sign-in failed. Start again, with an account whose verified e-mail address belongs to an active person here.',
  );
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
  example: { query: { state: 'c3RhdGU', code: 'Y29kZQ' }, response: sessionExample },
  uses: {
    unitOfWork: UnitOfWork,
    secrets: Secrets,
    limits: AttemptLimits,
    providers: IdentityProviders,
    failedSignIns: FailedSignIns,
    people: SignIns,
  },
  async execute(
    { query: received },
    caller,
    { unitOfWork, secrets, limits, providers, failedSignIns, people },
  ): Promise<Session> {
    const address = caller.address ?? '';
    limits.assertNotBlocked(address);
    const { state } = received;
    const started =
      state === undefined ? null : await unitOfWork.withoutWorkspace((tx) => consumeState(tx, secrets, state));
    // A link to the end of the sign-in of another user must not sign this browser in.
    const isSameBrowser = started !== null && started.browserKey === caller.browserKey;
    const provider = await providers.find(started?.providerId ?? null);
    const email = isSameBrowser ? await provider.finish(received as Record<string, string>, started.flowSecrets) : null;
    if (started === null || email === null) {
      await limits.countFailure(address);
      throw signInFailed();
    }
    const opened = await signIn(email, started.workspaceId, people);
    if (opened !== null) return opened;
    await failedSignIns.record(caller, 'oidc', email);
    throw signInFailed();
  },
});
