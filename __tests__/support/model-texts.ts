const F = '```'

const CODE = Array.from(
  { length: 60 },
  (_, at) => `  const value_${at} = await load(${at}) // *step* <${at}>`,
)

const ROWS = Array.from(
  { length: 40 },
  (_, at) => `| job-${at} | ${at % 3 ? '✅ passed' : '❌ **failed**'} | \`${at * 7}s\` |`,
)

const POINTS = Array.from(
  { length: 90 },
  (_, at) =>
    `${at + 1}. **Step ${at + 1}:** run \`make step-${at + 1}\`, and check the result in the log`,
)

/** Replies as language models write them: 100 texts in Markdown. */
export const MODEL_TEXTS: readonly string[] = [
  // Fences
  `Here is the fix:\n\n${F}ts title="src/a.ts"\nexport const a = 1\n${F}\n\nThen run the tests.`,
  `${F}diff\n- old *line*\n+ new _line_\n${F}`,
  `${F}js {1,3-4} showLineNumbers\nconst x = "<b>"\n${F}`,
  `${F}c++\nint main() { return a && b; }\n${F}\n${F}objective-c\n@end\n${F}`,
  `Save this as \`README.md\`:\n\n${F}\`md\n# Title\n\n${F}sh\nnpm ci\n${F}\n${F}\``,
  '~~~python\ndef f(x):\n    return x ** 2\n~~~\n\nThat is all.',
  '~~~~\n~~~\ninner\n~~~\n~~~~',
  `${F}\nno language\n\n\nwith blank lines\n${F}\nright after`,
  `Text before\n${F}sh\necho hi\n${F}\ntext after`,
  `An open fence:\n\n${F}sh\nnpm run build`,
  `   ${F}yaml\n   on:\n     push:\n   ${F}`,
  `${F}text\n<!here> @channel <@U1> &amp; @everyone\n${F}`,
  `${F}json\n{"a": "\`\`\`", "b": "\\n"}\n${F}`,
  `${F}mermaid\ngraph TD; A-->B;\n${F}`,
  '    indented code\n    second line\n\nand a paragraph',
  // Fences in lists and quotes
  `1. Install:\n   ${F}bash\n   npm ci\n   ${F}\n2. Build:\n   ${F}bash\n   npm run build\n   ${F}`,
  `- First\n\n  ${F}js\n  a()\n\n  b()\n  ${F}\n\n- Second`,
  `* One\n    * Two\n\n      ${F}\n      deep\n      ${F}\n    * Three`,
  `> Note:\n> ${F}sh\n> rm -r build\n> ${F}\n> Then go on.`,
  `1. a\n   > quote in a list\n   > second line\n2. b`,
  '- [ ] task with code:\n  ```\n  x\n  ```\n- [x] done',
  // Emphasis
  'This is ***both*** and **bold with *italic* inside** and *italic with **bold** inside*.',
  '**Note**: use `a`, **not** `b`. __Bold__ and _italic_ too.',
  'snake_case_name, 2*3*4, a * b * c, **not closed, and _not closed',
  '**bold\nacross lines** and *italic\nacross lines*',
  'foo**bar**baz, un*frigging*believable, "**quoted**", (**in parentheses**)',
  '**"Quoted bold"**, then **(parenthesized)**text and text**(again)**',
  '~~old~~ new, ~one tilde~, ~~**bold struck**~~',
  '**Bold:**text without a space, and **`code in bold`**next',
  '*a*_b_ **c**_d_ ***e** f*',
  '\\*not italic\\* and \\`not code\\` and \\# no heading',
  '** not bold ** and __ neither __',
  '**✅ Done**, **🚀Launch**ed',
  // Chinese, Japanese, Korean
  '這是**粗體**文字，還有*斜體*和`程式碼`。',
  '**注意：**请看这里。**「引用」**也可以。',
  'これは**太字**です。**「強調」**された文。',
  '**안녕**하세요. 이것은 **"굵은"**글씨입니다.',
  'ひらがな`code`ひらがな~~削除~~です',
  '**結論**：部署完成（**成功**）。\n\n- **步驟一**：建置\n- **步驟二**：測試',
  '## 概要\n\n**変更点**：`src/a.ts`を修正。\n\n| 項目 | 値 |\n| --- | --- |\n| 時間 | **3秒** |',
  '한국어 **강조**와 *기울임*, [링크](https://example.com/한국어)를 봅니다.',
  '全角スペース　**太字**　です',
  '**重要**です。***とても重要***です。',
  // Code
  'Use `` a ` b `` or ``` `` ``` here.',
  '`<div class="x">` and `a && b` and `**not bold**`',
  '`` ` ``',
  'Set `HOOKLINE_DATA=/var/lib/hookline`, then `systemctl restart hookline`.',
  '`a``b` and `@channel` and `<!here>`',
  'Empty code `` and a lone ` backtick',
  // Links and images
  'See [the docs](https://example.com/docs), [a [nested] label](https://example.com/n) and <https://example.com/x>.',
  'See [the docs][1] and [guide].\n\n[1]: https://example.com/docs "Docs"\n[guide]: <https://example.com/guide>',
  '[relative](docs/a.md), [anchor](#top), [mail](mailto:a@b.example), [js](javascript:alert(1))',
  'https://example.com/a_b_c?x=1&y=*2* and www.example.com/x_y.',
  '[github.com](https://evil.example/x)',
  '![chart](https://example.com/chart.png)\n\nThe chart shows it.',
  'Status: ![build](https://example.com/b.svg) ![](https://example.com/c.svg) ![local](./x.png)',
  '[![badge](https://example.com/b.svg)](https://example.com/ci)',
  '[**bold** `code` link](https://example.com/(a)_(b))',
  '[pipe | in label](https://example.com/a|b)',
  '[broken](https://example.com/a b) and [open](https://example.com',
  'mail me: ada@example.com',
  // Lists
  '- a\n- b\n  - c\n    - d\n      1. e\n      2. f\n- g',
  '3. three\n4. four\n\n10. ten',
  '* loose\n\n* list\n\n  with a paragraph\n\n* end',
  '- [x] Build\n- [ ] Deploy\n  - [ ] Staging\n  - [ ] Production',
  '+ plus\n+ list\n\n- dash\n- list\n\n1) paren\n2) list',
  '-\n- empty above\n-',
  '1. One\n\n   More about one.\n\n   - sub\n\n2. Two',
  'Steps:\n1. First\n2. Second\nText that continues.',
  '- a line  \n  with a hard break\n- another\\\n  break',
  '- **Key**: value\n- **Other key**: `value`\n- *Third*: [link](https://example.com)',
  // Quotes
  '> quote\n> > nested\n> > > deeper\n>\n> back',
  '> **Note**\n> This is a note.\n\nAfter it.',
  '> [!WARNING]\n> Be careful with `rm -rf`.',
  '> lazy\ncontinuation\n\n> - list in a quote\n> - second\n>\n> 1. ordered',
  // Headings, rules, tables
  '# Summary\n\nAll **passed**.\n\n## Details\n\n### Third\n\n#### Fourth\n\n###### Sixth ##',
  'Setext\n======\n\nSecond\n------\n\n***\n\n___\n\nend',
  '| Name | Status | Time |\n|:--|:-:|--:|\n| build | ✅ | 3 s |\n| test | **❌** | `4 s` |',
  'a | b\n--|--\n1 | 2 \\| 3\n4 |',
  '| a |\n|---|\n| <br> |\n| [x](https://example.com) |\n| ![i](https://example.com/i.png) |',
  '| x | y |\n|---|---|\n| 1 | 2 | 3 |',
  '# Heading with `code` and *italic* and [link](https://example.com) #1',
  '## \n\ntext under an empty heading',
  // Footnotes, HTML, math, entities
  'A claim[^1] and another[^note].\n\n[^1]: Source one.\n[^note]: Source two with `code`.',
  'Missing[^none] and [^1]: inline.',
  '<details>\n<summary>Log</summary>\n\n```\nline\n```\n\n</details>',
  '<b>bold</b> <i>it</i> <br> a<sup>2</sup> <!-- comment --> <tg-spoiler>x</tg-spoiler>',
  '<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>',
  '<!here> <!channel> <@U123> <#C123> @everyone @here <@&80351110224678912>',
  'The formula $E = mc^2$ and $$\\sum_{i=1}^{n} x_i * y_i$$ and \\(a_1\\) and \\[b_2\\].',
  '&lt;b&gt; &amp; &copy; &#35; &nbsp;x',
  'a < b && c > d, 5 < 6, x<y>z',
  '<think>\nThe user wants *x*.\n</think>\n\nHere it is.',
  'Emoji :tada: 👩‍👩‍👧‍👦 and **🎉**',
  'Line one\nLine two\n\n\n\nLine after blanks\n\ttab',
  'I could **not** find the file `src/a.ts`. Did you mean `src/b.ts`?\n\nIf so, run:\n\n1. `git mv src/b.ts src/a.ts`\n2. `npm test`',
  'Sure! Here is a summary:\n\n---\n\n**TL;DR:** it works.\n\n---\n\n*Generated at 12:00.*',
  // Long texts
  `The whole file:\n\n${F}ts\n${CODE.join('\n')}\n${F}\n\nand again:\n\n${F}ts\n${CODE.join('\n')}\n${F}`,
  `# Results\n\n| job | result | time |\n| --- | --- | --- |\n${ROWS.join('\n')}\n\nDone. ${'A sentence about **the result** of it. '.repeat(80)}`,
  `${POINTS.join('\n')}\n\n> ${'A long quote with `code` in it. '.repeat(60)}\n\n${'無空格的長文字'.repeat(200)}`,
]
