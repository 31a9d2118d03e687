import { fail } from './failure.ts'
import { main } from './main.ts'
import { isPost, post } from './post.ts'

try {
  await (isPost() ? post() : main())
} catch (error) {
  fail(error)
}
