import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { type Contract, contractQuery } from '../../api/finance-queries.js';
import { usePersistedDialog } from '../../app/persisted-state.js';
import { Button } from '../../components/Button.js';
import { Facing } from '../../components/Facing.js';
import { Loaded } from '../../components/Loaded.js';
import { DealLink } from '../../components/links.js';
import { Card } from '../../components/Page.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';

const ContractDialog = lazy(() => import('./ContractDialog.js').then((module) => ({ default: module.ContractDialog })));

interface ContractOfDealProps {
  readonly dealId: string;
  readonly canEdit: boolean;
}

/** What is stated of the contract of a deal, which decides over which time its commission is amortised. */
export function ContractOfDeal({ dealId, canEdit }: ContractOfDealProps) {
  return (
    <Loaded query={useQuery(contractQuery(dealId))} height={104}>
      {(contract) =>
        contract === null && !canEdit ? null : <ContractCard dealId={dealId} canEdit={canEdit} contract={contract} />
      }
    </Loaded>
  );
}

function ContractCard({ dealId, canEdit, contract }: ContractOfDealProps & { readonly contract: Contract | null }) {
  const [isOpen, setOpen] = usePersistedDialog(`contract ${dealId}`);
  return (
    <Card
      title="Contract"
      note="decides over which time commission is amortised, and pays none"
      action={
        canEdit ? (
          <Button onClick={() => setOpen(true)}>
            {contract === null ? 'Enter the contract' : 'Change the contract'}
          </Button>
        ) : undefined
      }
    >
      {contract === null ? (
        <p className="dim">Nothing is stated of the contract.</p>
      ) : (
        <Facing rows={listTerms(contract)} />
      )}
      <Suspense fallback={null}>
        {isOpen ? <ContractDialog dealId={dealId} contract={contract} onClose={() => setOpen(false)} /> : null}
      </Suspense>
    </Card>
  );
}

function listTerms(contract: Contract): readonly (readonly [label: string, value: React.ReactNode])[] {
  const { months, renewalOf, value, fields } = contract;
  const days = [
    ['First day', contract.start],
    ['Last day', contract.end],
    ['Terminated on', contract.terminatedOn],
    ...Object.entries(fields),
  ] as const;
  return [
    ...days.flatMap(([label, day]) => (day == null ? [] : [[label, formatDay(day, 'year')] as const])),
    ...(months === null ? [] : [['Term', formatCount(months, 'month')] as const]),
    ...(renewalOf === null ? [] : [['Renews', <DealLink key="renews" dealId={renewalOf} name={null} />] as const]),
    ...(value === null ? [] : [['Value', formatNumber(value)] as const]),
  ];
}
