import { useQuery } from '@tanstack/react-query';
import { workspaceQuery } from '../../api/settings-queries.js';
import { InvoicesCard } from './InvoicesCard.js';

interface CustomerOfDealProps {
  readonly dealId: string;
  /** The currency of the deal; undefined for that of the workspace. */
  readonly currency: string | undefined;
  readonly canEdit: boolean;
}

/** The invoices of a deal; nothing in workspaces without payouts. */
export function CustomerOfDeal({ dealId, currency, canEdit }: CustomerOfDealProps) {
  const workspace = useQuery(workspaceQuery).data;
  if (workspace?.payouts === undefined) return null;
  return <InvoicesCard dealId={dealId} currency={currency ?? workspace.currency} canEdit={canEdit} />;
}
