import { IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Fragment } from 'react';
import { api } from '../../api/client.js';
import { saveFile } from '../../api/download.js';
import {
  type Accounting,
  accountingMonthQuery,
  accountingMonthsQuery,
  accountingQuery,
} from '../../api/finance-queries.js';
import { Button } from '../../components/Button.js';
import { ExportMenu } from '../../components/ExportMenu.js';
import { InlineSelect } from '../../components/Inline.js';
import { combineQueries, Loaded } from '../../components/Loaded.js';
import { Page } from '../../components/Page.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { AllCompaniesCard } from './AllCompaniesCard.js';
import { CompaniesCard } from './CompaniesCard.js';
import { ContractCostCard } from './ContractCostCard.js';
import { EstimatesCard } from './EstimatesCard.js';
import { type BooksProps, LiabilityCards } from './LiabilityCards.js';
import { MonthCard } from './MonthCard.js';
import { OpeningLotsCard } from './OpeningLotsCard.js';
import { PoliciesCard } from './PoliciesCard.js';
import { WithBooks } from './WithBooks.js';
import { WriteOffsCard } from './WriteOffsCard.js';

/** The company of everyone who belongs to no other one. */
const mainEntity = 'main';

const crumbs = [{ label: 'Month-end' }];

/** The books of a month: the checklist, what people are owed, and the files of its journals. */
export function FinancePage() {
  return (
    <WithBooks>
      <Books />
    </WithBooks>
  );
}

function Books() {
  const query = combineQueries({ accounting: useQuery(accountingQuery), months: useQuery(accountingMonthsQuery) });
  const search = useSearch({ from: '/_shell/month-end' });
  return (
    <Loaded query={query} height={640}>
      {({ accounting, months }) => {
        const names = months.map(({ month }) => month);
        const chosen = search.month ?? accounting.firstOpen;
        return (
          <Month
            accounting={accounting}
            months={names}
            month={names.includes(chosen) ? chosen : accounting.current}
            entity={
              accounting.entities.some(({ code }) => code === search.company) ? (search.company as string) : mainEntity
            }
          />
        );
      }}
    </Loaded>
  );
}

interface MonthProps {
  readonly accounting: Accounting;
  readonly months: readonly string[];
  readonly month: string;
  /** Code of the company whose books are displayed. */
  readonly entity: string;
}

function Month({ accounting, months, month, entity }: MonthProps) {
  const navigate = useNavigate({ from: '/month-end' });
  const state = useQuery(accountingMonthQuery(month));
  const { entities } = accounting;
  const isOpen = state.data?.month === month && state.data.status === 'open';
  const company = entities.find(({ code }) => code === entity);
  return (
    <Page
      title="Month-end"
      crumbs={crumbs}
      facts={[company?.name, `books in ${company?.currency}`]}
      isWide
      actions={
        <>
          {entities.length > 1 ? (
            <InlineSelect
              label="Company"
              value={entity}
              choices={entities.map(({ code, name }) => [code, name] as const)}
              onChange={({ target }) => navigate({ search: (present) => ({ ...present, company: target.value }) })}
            />
          ) : null}
          <InlineSelect
            label="Month"
            value={month}
            choices={months.toReversed().map((each) => [each, formatPeriod(each)] as const)}
            onChange={({ target }) => navigate({ search: (present) => ({ ...present, month: target.value }) })}
          />
          <Button icon={IconPrinter} onClick={() => window.print()}>
            Print
          </Button>
          <Files month={month} entity={entity} isOpen={state.data?.status !== 'closed'} />
        </>
      }
    >
      <Loaded query={state} height={160}>
        {(data) => <MonthCard accounting={accounting} month={data} />}
      </Loaded>
      {entities.length > 1 ? <AllCompaniesCard key={month} month={month} companies={entities} /> : null}
      {/* With another key, nothing of the former company or month stays while the next one loads. */}
      <Fragment key={`${entity} ${month}`}>
        <LiabilityCards month={month} entity={entity} />
        <EstimatesCard month={month} entity={entity} isOpen={isOpen} />
        <WriteOffsCard month={month} entity={entity} />
        <ContractCostCard month={month} entity={entity} isOpen={isOpen} />
        <OpeningLotsCard entity={entity} currency={company?.currency ?? ''} isOpen={isOpen} />
      </Fragment>
      <PoliciesCard accounting={accounting} month={month} />
      <CompaniesCard companies={entities} />
    </Page>
  );
}

const files = [
  ['liability', 'Liability by person, CSV'],
  ['generic', 'Journals, CSV'],
  ['netsuite', 'Journals for NetSuite'],
  ['quickbooks', 'Journals for QuickBooks'],
  ['xero', 'Journals for Xero'],
  ['intacct', 'Journals for Intacct'],
  ['datev', 'Journals for DATEV'],
] as const;
type Kind = (typeof files)[number][0];

function Files({ month, entity, isOpen }: BooksProps & { readonly isOpen: boolean }) {
  const download = async (kind: Kind) => {
    const file =
      kind === 'liability'
        ? await api.exportLiability({ query: { month, entity } })
        : await api.exportJournals({
            params: { month },
            query: { layout: kind, entity, draft: isOpen ? 'true' : 'false' },
          });
    saveFile(file as unknown as File, (file as unknown as File).name);
  };
  return <ExportMenu files={files} download={download} />;
}
