import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { AttemptLimits } from '../../platform/limits/attempt-limits.js';
import { type Input, operation, Redirect } from '../../platform/operation.js';
import { uuid } from '../../platform/schemas.js';
import { Secrets } from '../../platform/secrets/secrets.js';
import { IdentityProvider } from '../oidc/identity-provider.js';
import { storeState } from '../oidc/sign-in-state-store.js';

const query = z.strictObject({
  workspaceId: uuid.optional().describe('Workspace (UUID) to sign in to; needed if the address belongs to several'),
});

const maxPerMinute = 60;

@injectable()
export class BeginOidcLogin {
  constructor(
    @inject(UnitOfWork) private readonly unitOfWork: UnitOfWork,
    @inject(Secrets) private readonly secrets: Secrets,
    @inject(AttemptLimits) private readonly limits: AttemptLimits,
    @inject(IdentityProvider) private readonly provider: IdentityProvider,
  ) {}

  async execute({ query: { workspaceId } }: Input<unknown, z.infer<typeof query>>, caller: Caller): Promise<Redirect> {
    this.provider.assertConfigured();
    await this.limits.count('oidc', caller.address ?? '', maxPerMinute, 60);
    const { state, location, ...secrecy } = await this.provider.begin();
    await this.unitOfWork.withoutWorkspace((trx) =>
      storeState(trx, this.secrets, state, workspaceId ?? null, secrecy, caller.browserKey ?? ''),
    );
    return new Redirect(location);
  }
}

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
  handler: BeginOidcLogin,
});
