import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { AttemptLimits } from '../../../platform/limits/attempt-limits.js';
import { operation, Redirect } from '../../../platform/operations/operation.js';
import { uuid } from '../../../platform/operations/schemas.js';
import { Secrets } from '../../../platform/secrets/secrets.js';
import { IdentityProviders } from '../oidc/identity-providers.js';
import { providerId } from '../oidc/provider-terms.js';
import { storeState } from '../oidc/sign-in-state-store.js';

const query = z.strictObject({
  workspaceId: uuid.optional().describe('Workspace (UUID) to sign in to; needed if the address belongs to several'),
  provider: providerId.optional().describe('Identity provider (UUID); default: the first one of the installation'),
});

const maxPerMinute = 60;

export const beginOidcLogin = operation({
  id: 'beginOidcLogin',
  summary: 'Redirect to the identity provider to sign in; 404 if none is configured',
  method: 'get',
  path: '/auth/oidc/login',
  access: 'public',
  query,
  response: z.object({}),
  status: 302,
  browserSignIn: 'begin',
  failures: { identity_provider_unavailable: 503 },
  example: {},
  uses: { unitOfWork: UnitOfWork, secrets: Secrets, limits: AttemptLimits, providers: IdentityProviders },
  async execute(
    { query: { workspaceId, provider: wanted = null } },
    caller,
    { unitOfWork, secrets, limits, providers },
  ): Promise<Redirect> {
    await limits.count('oidc', caller.address ?? '', maxPerMinute, 60);
    const provider = await providers.find(wanted);
    const { state, location, ...flowSecrets } = await provider.begin();
    await unitOfWork.withoutWorkspace((tx) =>
      storeState(tx, secrets, state, workspaceId ?? null, flowSecrets, caller.browserKey ?? '', provider.terms.id),
    );
    return new Redirect(location);
  },
});
