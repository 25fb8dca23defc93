import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type CrmProvider } from '../../crm/port.js';
import { type Caller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { type Config } from '../../platform/config.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CONFIG } from '../../platform/injection-tokens.js';
import { AttemptLimits } from '../../platform/limits/attempt-limits.js';
import { type Input, operation } from '../../platform/operation.js';
import { Secrets } from '../../platform/secrets/secrets.js';
import { findRoleAndActivity } from '../../reps/rep-views.js';
import { type Consent, takeConsent } from '../consent-state-store.js';
import { CrmAccounts } from '../crm-accounts.js';
import { connectedAnswer, connectedExample } from '../crm-connection.js';
import { CrmConnector } from '../crm-connector.js';
import { crmFailures, toCrmFailure } from '../crm-failures.js';
import { callbackPath, redirectUri } from '../oauth-client.js';

const answered = z.string().max(8000);
// CRMs add further parameters.
const query = z
  .object({
    state: answered.optional().describe('State of the connection, as the CRM returns it'),
    code: answered.optional().describe('Authorization code of the CRM'),
    error: answered.optional().describe('Error of the CRM, in place of a code'),
  })
  .catchall(answered);

function finish<const Id extends string>(id: Id, provider: CrmProvider) {
  @injectable()
  class FinishCrmConnect {
    constructor(
      @inject(CrmAccounts) readonly accounts: CrmAccounts,
      @inject(CrmConnector) readonly connector: CrmConnector,
      @inject(UnitOfWork) readonly unitOfWork: UnitOfWork,
      @inject(AttemptLimits) readonly limits: AttemptLimits,
      @inject(Secrets) readonly secrets: Secrets,
      @inject(CONFIG) readonly config: Config,
    ) {}

    /** The state identifies the admin who started the connection. It is secret to their browser and valid once. */
    async execute({ query: { state, code } }: Input<unknown, z.infer<typeof query>>, { address = '' }: Caller) {
      this.limits.assertNotBlocked(address);
      const consent =
        state === undefined
          ? null
          : await this.unitOfWork.withoutWorkspace((trx) => takeConsent(trx, this.secrets, provider, state));
      const back = redirectUri(this.config, provider);
      if (consent === null || code === undefined || back === null || !(await this.isStillAdmin(consent))) {
        await this.limits.countFailure(address);
        throw new Failure(
          'unauthorized',
          `${provider} was not connected. Begin again with GET /auth/${provider}/connect.`,
        );
      }
      try {
        const credentials = await this.accounts.adapters[provider].exchangeCode({
          code,
          redirectUri: back,
          codeVerifier: consent.codeVerifier,
        });
        return {
          connected: true as const,
          provider,
          ...(await this.connector.connect(consent, provider, credentials)),
        };
      } catch (error) {
        throw toCrmFailure(error);
      }
    }

    private async isStillAdmin({ workspaceId, repId }: Consent): Promise<boolean> {
      if (repId === null) return true;
      const rep = await this.unitOfWork.run({ workspaceId }, { lock: 'none', access: 'read' }, (trx) =>
        findRoleAndActivity(trx, workspaceId, repId),
      );
      return rep?.active === true && rep.role === 'admin';
    }
  }

  return operation({
    id,
    summary: `Redirect target of the consent page of ${provider}: connects the admin's workspace`,
    method: 'get',
    path: callbackPath(provider),
    access: 'public',
    query,
    response: connectedAnswer,
    secret: true,
    failures: crmFailures,
    example: { query: { state: 'c3RhdGU', code: 'Y29kZQ' }, answer: connectedExample(provider) },
    handler: FinishCrmConnect,
  });
}

export const finishCrmaConnect = finish('finishCrmaConnect', 'crma');
export const finishCrmbConnect = finish('finishCrmbConnect', 'crmb');
export const finishCrmcConnect = finish('finishCrmcConnect', 'crmc');
