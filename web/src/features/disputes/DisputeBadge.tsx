import { IconArrowBackUp, IconEye, IconMessageCircleQuestion } from '@tabler/icons-react';
import { type Dispute } from '../../api/queries.js';
import { Badge } from '../../components/StatusBadge.js';
import { statusWords } from './words.js';

const looks = {
  open: { tone: 'info', icon: IconMessageCircleQuestion },
  in_review: { tone: 'info', icon: IconEye },
  accepted: { tone: 'good' },
  rejected: { tone: 'negative' },
  withdrawn: { tone: 'neutral', icon: IconArrowBackUp },
} as const;

/** The state of a dispute. */
export function DisputeBadge({ status }: Pick<Dispute, 'status'>) {
  return <Badge {...looks[status]}>{statusWords[status]}</Badge>;
}
