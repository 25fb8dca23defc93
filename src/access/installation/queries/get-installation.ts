import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CONFIG } from '../../../platform/injection-tokens.js';
import { MailServer } from '../../../platform/mail/mail-server.js';
import { operation } from '../../../platform/operations/operation.js';
import { IdentityProviders } from '../../auth/oidc/identity-providers.js';
import {
  identityProvider,
  mailServer,
  mailServerExample,
  mailsOfInstallation,
  providerExample,
} from '../installation.js';
import { countMails, describeMailServer, describeProvider } from '../installation-views.js';
import { isOperator } from '../operator.js';

const response = z.object({
  isOperator: z
    .boolean()
    .describe('Whether the admins of this workspace operate the installation; for others the rest is null'),
  mailServer: mailServer.nullable().describe('The mail server; null if there is none'),
  mails: mailsOfInstallation.nullable().describe('Mails of all workspaces in the last seven days'),
  publicUrl: z.string().nullable().describe('Address of the service in PUBLIC_URL; null if it is not set'),
  identityProviders: z.array(identityProvider).nullable().describe('Identity providers of the sign-in page'),
});

const forOthers = { isOperator: false, mailServer: null, mails: null, publicUrl: null, identityProviders: null };

export const getInstallation = operation({
  id: 'getInstallation',
  summary: 'How the installation sends mail and signs people in, for the workspace that operates it',
  method: 'get',
  path: '/v1/installation',
  access: 'admin',
  scope: null,
  response,
  failures: {},
  example: {
    response: {
      isOperator: true,
      mailServer: mailServerExample,
      mails: { waiting: 0, notSent: 0, lastSentAt: '2026-02-11T09:00:00.000Z', lastError: null },
      publicUrl: 'https://pay.acme.com',
      identityProviders: [providerExample],
    },
  },
  uses: { unitOfWork: UnitOfWork, server: MailServer, providers: IdentityProviders, config: CONFIG },
  async execute(_input, caller, { unitOfWork, server, providers, config }): Promise<z.input<typeof response>> {
    const known = await unitOfWork.read(caller, async (tx) =>
      (await isOperator(tx)) ? { mailServer: await describeMailServer(tx, server), mails: await countMails(tx) } : null,
    );
    if (known === null) return forOthers;
    const list = await providers.list();
    return {
      isOperator: true,
      ...known,
      publicUrl: config.PUBLIC_URL ?? null,
      identityProviders: list.map(describeProvider),
    };
  },
});
