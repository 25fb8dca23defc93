import { Link } from '@tanstack/react-router';
import styles from './BottomBar.module.css';
import { listPages } from './navigation.js';
import { useSession } from './session.js';
import { useActivePage } from './use-active-page.js';

/** The four main pages of a role on a phone. */
export function BottomBar() {
  const { role } = useSession();
  const active = useActivePage();
  const items = listPages(role)
    .filter(({ isInBar }) => isInBar)
    .slice(0, 4);
  return (
    <nav aria-label="Pages" className={styles.bar}>
      {items.map(({ label, to, icon: Glyph }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{}}
          className={`${styles.item} ${to === active ? styles.active : ''}`}
          aria-current={to === active ? 'page' : undefined}
        >
          <Glyph size={20} stroke={1.6} aria-hidden="true" />
          {label}
        </Link>
      ))}
    </nav>
  );
}
