import { IconChevronRight, IconHelpCircle, IconMenu2, IconSearch } from '@tabler/icons-react';
import { useIsFetching } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { IconButton } from '../components/Button.js';
import { Key } from '../components/Kbd.js';
import styles from './HeaderBar.module.css';
import { useCrumbs } from './page-title.js';
import { RunningJobs } from './RunningJobs.js';
import { useSession } from './session.js';
import { ThemeSwitch } from './ThemeSwitch.js';

interface HeaderBarProps {
  readonly onSearch: () => void;
  readonly onHelp: () => void;
  readonly onNavigation: () => void;
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function HeaderBar({ onSearch, onHelp, onNavigation }: HeaderBarProps) {
  const { workspace, role } = useSession();
  return (
    <header className={styles.header}>
      <Refreshing />
      <IconButton icon={IconMenu2} label="Navigation" className={styles.onPhone} onClick={onNavigation} />
      <span className={`${styles.onPhone} ${styles.name}`}>{workspace.name}</span>
      <Crumbs />
      <div className={styles.tools}>
        {role === 'admin' ? <RunningJobs /> : null}
        <button type="button" className={styles.search} onClick={onSearch}>
          <IconSearch size={16} aria-hidden="true" />
          <span className={styles.searchText}>Go to person, deal, plan</span>
          <Key>{isApple ? '⌘K' : 'Ctrl K'}</Key>
        </button>
        <IconButton icon={IconSearch} label="Search" className={styles.onPhone} onClick={onSearch} />
        <span className={styles.onDesktop}>
          <IconButton icon={IconHelpCircle} label="Keyboard shortcuts" onClick={onHelp} />
          <ThemeSwitch />
        </span>
      </div>
    </header>
  );
}

function Crumbs() {
  const crumbs = useCrumbs();
  return (
    <nav aria-label="Path" className={styles.crumbs}>
      {crumbs.map(({ label, to }, index) => (
        <Fragment key={label}>
          {index === 0 ? null : <IconChevronRight size={14} className="dim" aria-hidden="true" />}
          {to === undefined ? (
            <span aria-current={index === crumbs.length - 1 ? 'page' : undefined}>{label}</span>
          ) : (
            <Link to={to}>{label}</Link>
          )}
        </Fragment>
      ))}
    </nav>
  );
}

/** A thin line while displayed data is loaded again. */
function Refreshing() {
  const count = useIsFetching({ predicate: ({ queryKey }) => queryKey[0] !== 'revision' });
  return count === 0 ? null : <div className={styles.refreshing} aria-hidden="true" />;
}
