import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type CrmProvider, crmProviders } from '../../crm/port.js';
import { type Caller } from '../../kernel/caller.js';
import { type Input, operation } from '../../platform/operation.js';
import { CrmConnector } from '../crm-connector.js';

const response = z.object({
  disconnected: z.boolean().describe('Whether a connection existed'),
  provider: z.enum(crmProviders).describe('The CRM'),
});

function disconnect<const Id extends string>(id: Id, provider: CrmProvider) {
  @injectable()
  class DisconnectCrm {
    constructor(@inject(CrmConnector) readonly connector: CrmConnector) {}

    async execute(_input: Input, caller: Caller): Promise<z.input<typeof response>> {
      return { disconnected: await this.connector.disconnect(caller, provider), provider };
    }
  }

  return operation({
    id,
    summary: `Disconnect ${provider}: deletes its credentials and keeps its deals and reps`,
    method: 'post',
    path: `/auth/workspace/disconnect-${provider}`,
    access: 'admin',
    response,
    failures: {},
    example: { answer: { disconnected: true, provider } },
    handler: DisconnectCrm,
  });
}

export const disconnectCrma = disconnect('disconnectCrma', 'crma');
export const disconnectCrmb = disconnect('disconnectCrmb', 'crmb');
export const disconnectCrmc = disconnect('disconnectCrmc', 'crmc');
