/* A boot sector: loads SECTORS sectors to 0x10000, enters 64-bit mode with the first GiB mapped one to one, enables
   AVX-512 and calls what was loaded. Anything that goes wrong ends in a halt, and the test finds no answer. */
.code16
.globl _start
_start:
  cli
  xorw %ax, %ax
  movw %ax, %ds
  movw %ax, %es
  movw %ax, %ss
  movw $0x7c00, %sp
  movb %dl, drive
  movw $SECTORS/64, %cx
load:
  pushw %cx
  movw $packet, %si
  movb $0x42, %ah
  movb drive, %dl
  int $0x13
  jc fail
  addw $0x800, packet_segment
  addl $64, packet_sector
  popw %cx
  loop load
  inb $0x92, %al            /* the twentieth address line */
  orb $2, %al
  outb %al, $0x92
  movl $0x1000, %edi        /* page tables at 0x1000, 0x2000, 0x3000: 512 pages of 2 MiB */
  xorl %eax, %eax
  movl $0x3000/4, %ecx
  cld
  addr32 rep stosl
  movl $0x2003, 0x1000
  movl $0x3003, 0x2000
  movl $0x3000, %edi
  movl $0x83, %eax
  movl $512, %ecx
map:
  addr32 movl %eax, (%edi)
  addl $0x200000, %eax
  addl $8, %edi
  loop map
  movl $0x1000, %eax
  movl %eax, %cr3
  movl %cr4, %eax
  orl $0x40620, %eax        /* PAE, SSE, XSAVE */
  movl %eax, %cr4
  movl $0xC0000080, %ecx
  rdmsr
  orl $0x100, %eax          /* long mode */
  wrmsr
  lgdt table
  movl %cr0, %eax
  andl $0xfffffffb, %eax
  orl $0x80000003, %eax
  movl %eax, %cr0
  ljmpl $8, $long
fail:
  hlt
  jmp fail
.code64
long:
  movw $16, %ax
  movw %ax, %ds
  movw %ax, %es
  movw %ax, %ss
  movl $0x8f000, %esp
  xorl %ecx, %ecx
  movl $0xe7, %eax          /* x87, SSE, AVX, and the three parts of AVX-512 */
  xorl %edx, %edx
  xsetbv
  movl $0x10000, %eax
  call *%rax
done:
  hlt
  jmp done
.align 8
segments:
  .quad 0, 0x00209A0000000000, 0x0000920000000000
table:
  .word 23
  .long segments
packet:
  .byte 16, 0
  .word 64, 0
packet_segment:
  .word 0x1000
packet_sector:
  .long 1, 0
drive:
  .byte 0
.org 510
.word 0xaa55
