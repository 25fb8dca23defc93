import { queryOptions } from '@tanstack/react-query';
import { type Answer, api } from './client.js';

export type Installation = Answer<'getInstallation'>;
export type MailServer = NonNullable<Installation['mailServer']>;
export type IdentityProvider = NonNullable<Installation['identityProviders']>[number];

export const installationQuery = queryOptions({
  queryKey: ['installation'],
  queryFn: ({ signal }) => api.getInstallation({}, { signal }),
});
