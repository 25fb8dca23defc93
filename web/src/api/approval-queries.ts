import { queryOptions } from '@tanstack/react-query';
import { type Answer, api } from './client.js';
import { type Statement } from './queries.js';

export type WaitingApproval = Answer<'listApprovals'>['approvals'][number];
export type Approval = NonNullable<Statement['approval']>;
export type Delegation = Answer<'listDelegations'>['delegations'][number];

/** The statements that the person may sign now, of every period. */
export const waitingForMeQuery = queryOptions({
  queryKey: ['approvals', 'me'],
  queryFn: ({ signal }) => api.listApprovals({}, { signal }),
});

export const delegationsQuery = queryOptions({
  queryKey: ['delegations'],
  queryFn: ({ signal }) => api.listDelegations({}, { signal }),
});
