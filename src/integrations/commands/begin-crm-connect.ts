import { createHash, randomBytes } from 'node:crypto';
import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type CrmProvider } from '../../crm/port.js';
import { type Caller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { type Config } from '../../platform/config.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CONFIG } from '../../platform/injection-tokens.js';
import { type Input, operation, Redirect } from '../../platform/operation.js';
import { flag } from '../../platform/schemas.js';
import { Secrets } from '../../platform/secrets/secrets.js';
import { storeConsent } from '../consent-state-store.js';
import { CrmAccounts } from '../crm-accounts.js';
import { redirectUri } from '../oauth-client.js';

const query = z.strictObject({
  redirect: flag.default(false).describe('true: redirect the browser to the consent page; false: return its URL'),
});
const response = z.object({ authorizeUrl: z.string().describe('URL of the consent page, valid for ten minutes') });

function begin<const Id extends string>(id: Id, provider: CrmProvider) {
  @injectable()
  class BeginCrmConnect {
    constructor(
      @inject(CrmAccounts) readonly accounts: CrmAccounts,
      @inject(UnitOfWork) readonly unitOfWork: UnitOfWork,
      @inject(Secrets) readonly secrets: Secrets,
      @inject(CONFIG) readonly config: Config,
    ) {}

    async execute({ query: { redirect } }: Input<unknown, z.infer<typeof query>>, caller: Caller) {
      const back = redirectUri(this.config, provider);
      if (back === null)
        throw new Failure(
          'not_found',
          `No OAuth client for ${provider} is configured. Connect with a token instead: POST /auth/workspace/connect-${provider}.`,
        );
      const [state, codeVerifier] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')];
      const { workspaceId, actor, repId } = caller;
      await this.unitOfWork.withoutWorkspace((trx) =>
        storeConsent(trx, this.secrets, state, { workspaceId, actor, repId, provider, codeVerifier }),
      );
      const authorizeUrl = this.accounts.adapters[provider].authorizeUrl({
        state,
        redirectUri: back,
        codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url'),
      });
      return redirect ? new Redirect(authorizeUrl) : { authorizeUrl };
    }
  }

  return operation({
    id,
    summary: `Start connecting ${provider}: returns the consent page to open in a browser within ten minutes`,
    method: 'get',
    path: `/auth/${provider}/connect`,
    access: 'admin',
    query,
    response,
    otherStatus: 302,
    failures: {},
    example: { answer: { authorizeUrl: 'https://crm.example.com/oauth/authorize?client_id=…&state=…' } },
    handler: BeginCrmConnect,
  });
}

export const beginCrmaConnect = begin('beginCrmaConnect', 'crma');
export const beginCrmbConnect = begin('beginCrmbConnect', 'crmb');
export const beginCrmcConnect = begin('beginCrmcConnect', 'crmc');
