/** Removes the Markdown of links, emphasis, code and fences from a text about a sender. */
export function withoutMarkdown(text: string): string {
  return text
    .replaceAll(/^```.*\n/gm, '')
    .replace(/\[([^\]]+)\]\((https:[^)]+)\)/g, '$1 ($2)')
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replace(/(?<![\w*])\*([^*\n]+)\*(?![\w*])/g, '$1')
}
