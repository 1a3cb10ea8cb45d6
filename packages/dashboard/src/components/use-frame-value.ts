import { type RefObject, useEffect, useRef } from 'react';

/**
 * Returns the ref of a frame. Its page gets `value` as a message when it has sent `ready`, and whenever the value changes.
 * `origin` is that of the page; `*` for a sandboxed page, which has none.
 */
export function useFrameValue(value: unknown, origin: string): RefObject<HTMLIFrameElement | null> {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const send = () => frame.current?.contentWindow?.postMessage(value, origin);
    const onMessage = ({ source, data }: MessageEvent) => {
      if (source === frame.current?.contentWindow && data === 'ready') send();
    };
    window.addEventListener('message', onMessage);
    send();
    return () => window.removeEventListener('message', onMessage);
  }, [value, origin]);
  return frame;
}
