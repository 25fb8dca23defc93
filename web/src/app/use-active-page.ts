import { useLocation } from '@tanstack/react-router';
import { findActivePage } from './navigation.js';
import { useSession } from './session.js';

/** The address of the page of the navigation that is open, or to which the open page belongs. */
export function useActivePage(): string | undefined {
  const { role, repId } = useSession();
  const path = useLocation({ select: ({ pathname }) => pathname });
  return findActivePage(role, repId, path);
}
