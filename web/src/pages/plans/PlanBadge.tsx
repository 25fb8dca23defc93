import { IconArchive } from '@tabler/icons-react';
import { type Plan } from '../../api/queries.js';
import { Badge } from '../../components/StatusBadge.js';

/** The state of a plan or a version. */
export function PlanBadge({ status }: { readonly status: Plan['planStatus'] }) {
  if (status === 'active') return <Badge tone="good">Active</Badge>;
  if (status === 'draft') return <Badge tone="neutral">Draft</Badge>;
  return (
    <Badge tone="neutral" icon={IconArchive}>
      {status === 'archived' ? 'Archived' : 'Deleted'}
    </Badge>
  );
}
