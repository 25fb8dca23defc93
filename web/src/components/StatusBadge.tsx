import {
  type Icon,
  IconAlertTriangle,
  IconCheck,
  IconClock,
  IconInfoCircle,
  IconPencil,
  IconX,
} from '@tabler/icons-react';
import styles from './StatusBadge.module.css';

type BadgeTone = 'good' | 'neutral' | 'warning' | 'negative' | 'info';

interface BadgeProps {
  readonly tone: BadgeTone;
  readonly icon?: Icon;
  /** Whether a phone displays only the icon. The word stays available to screen readers. */
  readonly shrinks?: boolean;
  readonly children: React.ReactNode;
}

const icons: Readonly<Record<BadgeTone, Icon>> = {
  good: IconCheck,
  neutral: IconPencil,
  warning: IconAlertTriangle,
  negative: IconX,
  info: IconInfoCircle,
};

/** A state: always an icon and a word, colour only in addition. */
export function Badge({ tone, icon, shrinks = false, children }: BadgeProps) {
  const Glyph = icon ?? icons[tone];
  return (
    <span className={`${styles.badge} ${styles[tone]} ${shrinks ? styles.shrinks : ''}`}>
      <Glyph size={14} stroke={2} aria-hidden="true" />
      <span className={styles.word}>{children}</span>
    </span>
  );
}

interface StatusBadgeProps {
  readonly status: 'none' | 'draft' | 'approved';
  readonly version?: number;
  readonly shrinks?: boolean;
}

const statuses = {
  approved: { tone: 'good', word: 'Approved' },
  draft: { tone: 'neutral', word: 'Draft' },
  none: { tone: 'neutral', word: 'Not generated', icon: IconClock },
} as const;

/** The state of a statement. */
export function StatusBadge({ status, version = 0, shrinks }: StatusBadgeProps) {
  const { word, ...look } = statuses[status];
  return (
    <Badge {...look} shrinks={shrinks}>
      {word}
      {version === 0 ? '' : ` v${version}`}
    </Badge>
  );
}
