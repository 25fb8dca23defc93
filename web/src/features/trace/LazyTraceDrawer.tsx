import { lazy, Suspense, useEffect } from 'react';
import { type TraceDrawerProps } from './TraceDrawer.js';

const TraceDrawer = lazy(() => import('./TraceDrawer.js').then((module) => ({ default: module.TraceDrawer })));

interface LazyTraceDrawerProps extends TraceDrawerProps {
  /** Whether a wide screen displays it beside the page, which must have a narrow form. Default: over the page. */
  readonly isBeside?: boolean;
}

/** The drawer that explains an amount. Its code is loaded when it is opened for the first time. */
export function LazyTraceDrawer({ isBeside = false, ...visible }: LazyTraceDrawerProps) {
  useEffect(() => {
    // The page becomes narrow at once, not when the code has arrived.
    if (isBeside) document.documentElement.dataset['drawer'] = 'open';
    return () => {
      delete document.documentElement.dataset['drawer'];
    };
  }, [isBeside]);
  return (
    <Suspense fallback={null}>
      <TraceDrawer {...visible} />
    </Suspense>
  );
}
