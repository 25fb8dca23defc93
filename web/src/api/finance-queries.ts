import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ApiError } from '#src/client.js';
import { loadAllPages } from './all-pages.js';
import { type Answer, api } from './client.js';

export type Accounting = Answer<'getAccounting'>;
export type Company = Accounting['entities'][number];
export type AccountingMonth = Answer<'getAccountingMonth'>;
export type LiabilityRow = Answer<'getLiability'>['liability'][number];
export type JournalLine = Answer<'listJournalLines'>['lines'][number];

export type ContractCosts = Answer<'getContractCosts'>;
export type Policy = Answer<'listAccountingPolicies'>['policies'][number];

export const costsOnPage = 50;

/** The capitalised cost of a company: its sum, or a page of people and deals. */
export const contractCostsQuery = (month: string, entity: string, groupBy: 'total' | 'deal', page = 0) =>
  queryOptions({
    queryKey: ['accounting', 'contract-costs', month, entity, groupBy, page],
    queryFn: ({ signal }) =>
      api.getContractCosts(
        { query: { month, entity, groupBy, limit: String(costsOnPage), offset: String(page * costsOnPage) } },
        { signal },
      ),
    placeholderData: (before) => (before?.month === month && before.entity === entity ? before : undefined),
  });

/** The capitalised cost of every person and deal of a company. */
export const allContractCostsQuery = (month: string, entity: string) =>
  queryOptions({
    queryKey: ['accounting', 'contract-costs', month, entity],
    queryFn: ({ signal }) =>
      loadAllPages(
        1000,
        async (page) =>
          (await api.getContractCosts({ query: { month, entity, groupBy: 'deal', ...page } }, { signal }))
            .contractCosts,
      ),
  });

export const policiesQuery = queryOptions({
  queryKey: ['accounting', 'policies'],
  queryFn: async ({ signal }) => (await api.listAccountingPolicies({}, { signal })).policies,
});

export type PolicyTerms = Parameters<typeof api.proposePolicy>[0]['body'];
export type PolicyPreview = Answer<'proposePolicy'>;

const preview = { placeholderData: keepPreviousData, retry: false } as const;

/** The version that would be proposed, and what it would do to the months that are open. */
export const proposalEffectQuery = (name: string, terms: PolicyTerms | null) =>
  queryOptions({
    queryKey: ['dry-run', 'policy', name, terms],
    queryFn: ({ signal }) =>
      api.proposePolicy({ params: { name }, query: { dryRun: 'true' }, body: terms as PolicyTerms }, { signal }),
    ...preview,
  });

/** The version that waits, and what its approval would do to the months that are open. */
export const approvalEffectQuery = (name: string, version: string) =>
  queryOptions({
    queryKey: ['dry-run', 'policy-approval', name, version],
    queryFn: ({ signal }) => api.approvePolicy({ params: { name, version }, query: { dryRun: 'true' } }, { signal }),
    ...preview,
  });

export type WriteOff = Answer<'listAccountingWriteOffs'>['writeOffs'][number];

export const writeOffsQuery = queryOptions({
  queryKey: ['accounting', 'write-offs'],
  queryFn: async ({ signal }) => (await api.listAccountingWriteOffs({}, { signal })).writeOffs,
});

export const accountingQuery = queryOptions({
  queryKey: ['accounting'],
  queryFn: ({ signal }) => api.getAccounting({}, { signal }),
});

export const accountingMonthsQuery = queryOptions({
  queryKey: ['accounting', 'months'],
  queryFn: async ({ signal }) => (await api.listAccountingMonths({}, { signal })).months,
});

export const accountingMonthQuery = (month: string) =>
  queryOptions({
    queryKey: ['accounting', 'month', month],
    queryFn: ({ signal }) => api.getAccountingMonth({ params: { month } }, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.job === undefined ? false : 1000),
    placeholderData: keepPreviousData,
  });

/** What people are owed at the end of the month: the sums, or a page of people. */
export const liabilityQuery = (month: string, entity: string, groupBy: 'currency' | 'person', page = 0) =>
  queryOptions({
    queryKey: ['accounting', 'liability', month, entity, groupBy, page],
    queryFn: ({ signal }) =>
      api.getLiability(
        { query: { month, entity, groupBy, limit: String(peopleOnPage), offset: String(page * peopleOnPage) } },
        { signal },
      ),
    placeholderData: keepPreviousData,
  });

export const peopleOnPage = 50;

/** What each company owes at the end of the month, by currency. */
export const liabilityOfAllQuery = (month: string) =>
  queryOptions({
    queryKey: ['accounting', 'liability', month],
    queryFn: async ({ signal }) => (await api.getLiability({ query: { month, limit: '1000' } }, { signal })).liability,
  });

/** The companies of a person by day. */
export const companiesOfPersonQuery = (repId: string) =>
  queryOptions({
    queryKey: ['accounting', 'companies', repId],
    queryFn: async ({ signal }) => (await api.getRepEntities({ params: { repId } }, { signal })).entities,
  });

/** Those who owe at the end of the month. */
export const debtorsQuery = (month: string, entity: string) =>
  queryOptions({
    queryKey: ['accounting', 'liability', month, entity, 'debtors'],
    queryFn: async ({ signal }) => {
      const people = await loadAllPages(
        1000,
        async (page) =>
          (await api.getLiability({ query: { month, entity, groupBy: 'person', ...page } }, { signal })).liability,
      );
      return people.filter(({ receivable }) => receivable > 0);
    },
  });

/** The lines that changed what a person is owed in the month. */
export const linesOfPersonQuery = (month: string, entity: string, repId: string) =>
  queryOptions({
    queryKey: ['accounting', 'lines', month, entity, repId],
    queryFn: ({ signal }) =>
      loadAllPages(
        1000,
        async (page) =>
          (
            await api.listJournalLines(
              { query: { month, entity, repId, account: 'accrued_commission', ...page } },
              { signal },
            )
          ).lines,
      ),
  });

export type Contract = Answer<'getContract'>;

/** Null if nothing is stated of the contract of the deal. */
export const contractQuery = (dealId: string) =>
  queryOptions({
    queryKey: ['accounting', 'contract', dealId],
    queryFn: ({ signal }) =>
      api.getContract({ params: { dealId } }, { signal }).catch((error: unknown) => {
        if (error instanceof ApiError && error.code === 'contract_not_found') return null;
        throw error;
      }),
  });

export type Impairment = Answer<'listImpairments'>['impairments'][number];

export const impairmentsQuery = (month: string) =>
  queryOptions({
    queryKey: ['accounting', 'impairments', month],
    queryFn: async ({ signal }) => (await api.listImpairments({ query: { month } }, { signal })).impairments,
  });

export type OpeningLots = Answer<'listOpeningLots'>;

export const lotsOnPage = 50;

/** A page of the lots that other systems have begun, in the books of the company. */
export const openingLotsQuery = (entity: string, page: number) =>
  queryOptions({
    queryKey: ['accounting', 'opening-lots', entity, page],
    queryFn: ({ signal }) =>
      api.listOpeningLots(
        { query: { entity, limit: String(lotsOnPage), offset: String(page * lotsOnPage) } },
        { signal },
      ),
    placeholderData: keepPreviousData,
  });

export type RenewalTests = Answer<'getRenewalTest'>;

/** Commission on renewals beside that on new business, in the twelve months that end with the month. */
export const renewalTestQuery = (month: string | undefined) =>
  queryOptions({
    queryKey: ['accounting', 'renewal-test', month],
    queryFn: ({ signal }) => api.getRenewalTest({ query: month === undefined ? {} : { month } }, { signal }),
    placeholderData: keepPreviousData,
  });

export type Estimates = Answer<'listEstimates'>;

/** What is expected in the month and not in the ledger, and how far it was from what was earned. */
export const estimatesQuery = (month: string) =>
  queryOptions({
    queryKey: ['accounting', 'estimates', month],
    queryFn: async ({ signal }): Promise<Pick<Estimates, 'estimates' | 'errors'>> => {
      let errors: Estimates['errors'] = [];
      const estimates = await loadAllPages(1000, async (page) => {
        const answer = await api.listEstimates({ query: { month, ...page } }, { signal });
        errors = answer.errors;
        return answer.estimates;
      });
      return { estimates, errors };
    },
  });
