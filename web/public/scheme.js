// Sets the colour scheme and the frame before the first paint. A separate file, because the content security policy forbids inline scripts.
(() => {
  let chosen = 'auto';
  try {
    chosen = localStorage.getItem('mantine-color-scheme-value') ?? 'auto';
  } catch {}
  const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  // The frame of the first picture has a navigation only where the page will have one.
  if (!/\/(login|start|setup|connect-agent|sign-in)\b/.test(location.pathname))
    document.documentElement.setAttribute('data-frame', '');
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
})();
