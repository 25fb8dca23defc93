import { Outlet, useLocation, useMatches, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { NotFound } from '../components/PageProblems.js';
import { useRowClicks, useRowKeys } from '../components/row-keys.js';
import { Skeleton } from '../components/States.js';
import { type Shortcuts, useShortcuts } from '../shared/keys/shortcuts.js';
import { BottomBar } from './BottomBar.js';
import { HeaderBar } from './HeaderBar.js';
import { useIsOnline, useLiveUpdates } from './live-updates.js';
import { Navigation } from './Navigation.js';
import { listPages, mayOpen } from './navigation.js';
import styles from './Shell.module.css';
import { StepUp } from './StepUp.js';
import { useHasSessionEnded, useSession } from './session.js';

const CommandMenu = lazy(() => import('./CommandMenu.js').then((module) => ({ default: module.CommandMenu })));
const SessionEnded = lazy(() => import('./SessionEnded.js').then((module) => ({ default: module.SessionEnded })));
const KeyboardHelp = lazy(() => import('./KeyboardHelp.js').then((module) => ({ default: module.KeyboardHelp })));

type Layer = 'menu' | 'help' | 'navigation';

/** The frame of every page: navigation by role, header, and on a phone a bottom bar. */
export function Shell() {
  const [layer, setLayer] = useState<Layer | null>(null);
  const hasEnded = useHasSessionEnded();
  const isOwnPage = useIsOwnPage();
  const close = () => setLayer(null);
  const isReachable = useLiveUpdates();
  useRowKeys();
  useRowClicks();
  useFocusOfNewPage();
  useRail();
  useGlobalKeys(
    () => setLayer('menu'),
    () => setLayer('help'),
  );
  return (
    <div className={styles.shell}>
      {/* biome-ignore lint/a11y/useValidAnchor: a fragment alone would change the path, because of the base element */}
      <a href="#content" className={styles.skip} onClick={focusContent}>
        Skip to content
      </a>
      <Navigation isOpen={layer === 'navigation'} onClose={close} />
      <div className={styles.column}>
        <HeaderBar
          onSearch={() => setLayer('menu')}
          onHelp={() => setLayer('help')}
          onNavigation={() => setLayer('navigation')}
        />
        <OfflineBanner isReachable={isReachable} />
        <main id="content" tabIndex={-1} className={styles.content}>
          <Suspense fallback={<LoadingPage />}>{isOwnPage ? <Outlet /> : <NotFound />}</Suspense>
        </main>
      </div>
      <BottomBar />
      <Suspense fallback={null}>
        {layer === 'menu' ? <CommandMenu onClose={close} /> : null}
        {layer === 'help' ? <KeyboardHelp onClose={close} /> : null}
        {hasEnded ? <SessionEnded /> : null}
      </Suspense>
      <StepUp />
    </div>
  );
}

/** Whether the page is part of the person's role. */
function useIsOwnPage(): boolean {
  const { role } = useSession();
  const path = useLocation({ select: ({ pathname }) => pathname });
  const isOfRole = useMatches().every(({ staticData }) => staticData.role === undefined || staticData.role === role);
  return isOfRole && mayOpen(role, path);
}

/** The navigation shows only its icons while a plan is built. It changes before the page is loaded, so that nothing moves then. */
function useRail(): void {
  const isBuilder = /\/plans\/[^/]+\/edit$/.test(useLocation().pathname);
  useLayoutEffect(() => {
    document.documentElement.toggleAttribute('data-rail', isBuilder);
  }, [isBuilder]);
}

function LoadingPage() {
  return (
    <div className={styles.loading}>
      <Skeleton height={480} label="Loading the page" />
    </div>
  );
}

/** A link with a fragment would change the address relative to the base element. */
function focusContent(event: React.MouseEvent): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

/** A new page starts with the focus on its content, also if the link that opened it remains. */
function useFocusOfNewPage(): void {
  const path = useLocation({ select: ({ pathname }) => pathname });
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    document.getElementById('content')?.focus({ preventScroll: true });
  }, [path]);
}

function OfflineBanner({ isReachable }: { readonly isReachable: boolean }) {
  const isOnline = useIsOnline();
  if (isOnline && isReachable) return null;
  return (
    <p role="status" className={styles.offline}>
      {isOnline ? 'The service does not respond' : 'You are offline'}. What you see may be out of date, and nothing can
      be saved.
    </p>
  );
}

/** ⌘K, `?`, and `g` with the key of a page. */
function useGlobalKeys(onMenu: () => void, onHelp: () => void): void {
  const { role } = useSession();
  const navigate = useNavigate();
  const pages = listPages(role)
    .filter(({ key }) => key !== undefined)
    .map(({ key, to }) => [`g ${key}`, () => void navigate({ to })] as const);
  const shortcuts: Shortcuts = { ...Object.fromEntries(pages), '?': onHelp };
  useShortcuts(shortcuts);
  useCommandKey(onMenu);
}

function useCommandKey(onMenu: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      onMenu();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
}
