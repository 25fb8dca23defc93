import { Menu, Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconLogout, IconSettings } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { phone } from '../shared/theme/breakpoints.js';
import styles from './Navigation.module.css';
import { NavigationCount } from './NavigationCount.js';
import { listNavigation, roleNames } from './navigation.js';
import { signOut, useSession } from './session.js';
import { useActivePage } from './use-active-page.js';

interface NavigationProps {
  /** Whether the drawer of a phone is open. */
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function Navigation({ isOpen, onClose }: NavigationProps) {
  const isPhone = useMediaQuery(phone, undefined, { getInitialValueInEffect: false });
  if (!isPhone)
    return (
      <div className={styles.side}>
        <div className={styles.sticky}>
          <Workspace />
          <Groups />
          <Person />
        </div>
      </div>
    );
  return (
    <Modal.Root opened={isOpen} onClose={onClose} fullScreen classNames={{ content: styles.drawer }}>
      <Modal.Content aria-label="Navigation">
        <div className={styles.close}>
          <Modal.CloseButton aria-label="Close" />
        </div>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: closes after a link within it was opened */}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: links cause a click for keys too */}
        <div onClick={onClose}>
          <Groups />
        </div>
        <Person />
      </Modal.Content>
    </Modal.Root>
  );
}

/** The letter of the workspace and its name. */
function Workspace() {
  const { workspace } = useSession();
  return (
    <section aria-label="Workspace" className={styles.workspace} title={workspace.name}>
      <Logo name={workspace.name} />
      <span className={styles.name}>{workspace.name}</span>
    </section>
  );
}

export function Logo({ name, isLarge = false }: { readonly name: string; readonly isLarge?: boolean }) {
  return (
    <span className={isLarge ? styles.largeLogo : styles.logo} aria-hidden="true">
      {(name.match(/[\p{L}\p{N}]/u)?.[0] ?? 'C').toUpperCase()}
    </span>
  );
}

function AccountMenu() {
  return (
    <Menu.Dropdown>
      <Menu.Item component={Link} to="/account" leftSection={<IconSettings size={16} aria-hidden="true" />}>
        Your account
      </Menu.Item>
      <Menu.Item leftSection={<IconLogout size={16} aria-hidden="true" />} onClick={signOut}>
        Sign out
      </Menu.Item>
    </Menu.Dropdown>
  );
}

function Groups() {
  const { role } = useSession();
  const active = useActivePage();
  return (
    <nav aria-label="Main" className={styles.groups}>
      {listNavigation(role).map(({ label, items }) => (
        <div key={label ?? ''} className={styles.group}>
          {label === undefined ? null : <p className={styles.label}>{label}</p>}
          <ul>
            {items.map(({ to, icon: Glyph, label: name, count }) => (
              <li key={to}>
                <Link
                  to={to}
                  activeOptions={{ exact: true, includeSearch: false }}
                  activeProps={{}}
                  className={`${styles.item} ${to === active ? styles.active : ''}`}
                  aria-current={to === active ? 'page' : undefined}
                >
                  <Glyph size={18} stroke={1.6} aria-hidden="true" />
                  {name}
                  {count === undefined ? null : <NavigationCount of={count} />}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function Person() {
  const { name, role } = useSession();
  return (
    <Menu position="top-start" width={208}>
      <Menu.Target>
        <button type="button" className={styles.person} aria-label={`Account of ${name}`}>
          <span className={styles.avatar} aria-hidden="true">
            {initials(name)}
          </span>
          <span>
            <span className={styles.personName}>{name}</span>
            <span className={styles.role}>{roleNames[role]}</span>
          </span>
        </button>
      </Menu.Target>
      <AccountMenu />
    </Menu>
  );
}

function initials(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== '');
  return [words[0], words.length > 1 ? words.at(-1) : '']
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase();
}
