import {
  IconArrowsSplit2,
  IconBriefcase,
  IconBuilding,
  IconCalendarOff,
  IconChartDots,
  IconClock,
  IconContract,
  IconFileInvoice,
  IconPackages,
  IconPigMoney,
  IconReceiptOff,
  IconReceiptRefund,
  IconStack2,
  IconTargetArrow,
  IconUserCheck,
  IconUsers,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Page } from '../../components/Page.js';
import { importKinds } from '../../features/imports/kinds.js';
import styles from './Import.module.css';
import { ImportHistory } from './ImportHistory.js';

const icons = {
  people: IconUsers,
  deals: IconBriefcase,
  lines: IconPackages,
  quotas: IconTargetArrow,
  assignments: IconUserCheck,
  splits: IconArrowsSplit2,
  absences: IconCalendarOff,
  invoices: IconFileInvoice,
  refunds: IconReceiptRefund,
  draws: IconPigMoney,
  contracts: IconContract,
  companies: IconBuilding,
  openingLots: IconStack2,
  writeOffs: IconReceiptOff,
  estimates: IconChartDots,
} as const;

/** What can be imported from files and spreadsheets. */
export function ImportsPage() {
  return (
    <Page
      title="Imports"
      crumbs={[{ label: 'Imports' }]}
      facts={['A CSV file, or cells copied from a spreadsheet', 'Nothing is written before you confirm']}
    >
      <ul className={styles.kinds}>
        {Object.values(importKinds).map(({ key, title, intro }) => {
          const Glyph = icons[key];
          return (
            <li key={key}>
              <Link to="/imports/$kind" params={{ kind: key }} className={styles.kind}>
                <Glyph size={20} stroke={1.6} aria-hidden="true" />
                <span>
                  <span className={styles.kindTitle}>{title}</span>
                  <span className="second">{intro}</span>
                </span>
              </Link>
            </li>
          );
        })}
        <li>
          <Link to="/imports/scheduled" className={styles.kind}>
            <IconClock size={20} stroke={1.6} aria-hidden="true" />
            <span>
              <span className={styles.kindTitle}>Scheduled imports</span>
              <span className="second">Files of a web address, an S3-compatible store or SFTP, every hour or day.</span>
            </span>
          </Link>
        </li>
      </ul>
      <ImportHistory />
    </Page>
  );
}
